// Has to be loaded before the bridge of MCP Apps: its schemas would otherwise try to make functions from text,
// which the page's policy forbids and which is only a faster way for them.

import * as z from "zod";

z.config({ jitless: true });
