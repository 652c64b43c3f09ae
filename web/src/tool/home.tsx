// Where a person starts: a first call in one click where the demo is, else how servers and agents get here.

import { useState, type ReactElement } from "react";
import { addressOf } from "../api/client";
import { COMMAND_KEY } from "../shell/header";
import { run } from "../state/calls";
import { go } from "../state/place";
import { useStore } from "../state/store";
import type { Tool } from "../state/tool";
import { workspace } from "../state/workspace";
import { copy, counted } from "../ui/format";
import { IconCopy, IconPlay, IconServer } from "../ui/icons";
import { Button, Command, EmptyState, IconButton, Key, toast, toastError } from "../ui/ui";
import { Mark } from "../shell/mark";
import { initialArguments } from "./form/initial";

/** Tools of the demo that show something at once, the best first. */
const FIRST_CALLS = ["sales_report", "gallery", "every_file", "weather", "live_dashboard", "sign_guest_book", "roast"];

export function Home(): ReactElement {
  const { tools, servers, hasTools } = useStore(workspace, ({ tools, servers, hasTools }) => ({
    tools,
    servers,
    hasTools,
  }));
  const offers = FIRST_CALLS.map((name) => tools.find((tool) => tool.server === "demo" && tool.name === name)).filter(
    (tool) => tool !== undefined,
  );
  if (hasTools && servers.length === 0) return <NoServers />;
  const ready = servers.filter((server) => server.state === "ready").length;
  return (
    <div className="tool-scroll">
      <div className="tool-home">
        <Mark size={40} />
        <h1>What should run?</h1>
        <p className="ui-quiet">
          {hasTools
            ? `${counted(tools.length, "tool")} of ${counted(ready, "server")} ${tools.length === 1 ? "is" : "are"} ready.`
            : "Looking for tools…"}{" "}
          Choose one on the left, or press <Key>{COMMAND_KEY}</Key> <Key>K</Key>.
        </p>
        {offers.length > 0 && <Offers tools={offers} />}
        <Connect />
      </div>
    </div>
  );
}

function Offers({ tools }: { tools: Tool[] }): ReactElement {
  const [isBusy, setBusy] = useState(false);
  const start = async (tool: Tool): Promise<void> => {
    setBusy(true);
    try {
      await run({ server: tool.server, tool: tool.name, args: initialArguments(tool.inputSchema) }, (id) =>
        go({ kind: "call", id }),
      );
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  const [first, ...others] = tools;
  if (!first) return <></>;
  return (
    <section className="tool-offers" aria-label="A first call">
      <Button kind="primary" icon={IconPlay} disabled={isBusy} onClick={() => void start(first)}>
        {first.title}
      </Button>
      {others.slice(0, 4).map((tool) => (
        <Button key={tool.id} disabled={isBusy} onClick={() => void start(tool)}>
          {tool.title}
        </Button>
      ))}
    </section>
  );
}

function Connect(): ReactElement {
  const address = addressOf("/mcp");
  const command = `claude mcp add --transport http resultant ${address}`;
  return (
    <section className="tool-connect" aria-label="Connect an agent">
      <h2>Watch an agent work</h2>
      <p className="ui-quiet">
        Give it the gateway. Its session appears on the left, and every call below as it happens.
      </p>
      <div className="tool-connect-line">
        <Command>{command}</Command>
        <IconButton
          icon={IconCopy}
          label="Copy the command"
          onClick={() => void copy(command).then(() => toast("Copied", { kind: "good" }), toastError)}
        />
      </div>
    </section>
  );
}

function NoServers(): ReactElement {
  return (
    <EmptyState icon={IconServer} title="No servers are configured">
      <p>Write a configuration, or take over the servers of a client that you have:</p>
      <p>
        <Command>resultant init</Command>
      </p>
      <p>
        <Command>resultant init --from claude-desktop</Command>
      </p>
      <p>The demo has a server that shows every kind of result:</p>
      <p>
        <Command>resultant demo</Command>
      </p>
    </EmptyState>
  );
}
