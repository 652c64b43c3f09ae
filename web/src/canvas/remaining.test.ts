import { expect, it } from "vitest";
import { remaining } from "./remaining";

const now = Date.parse("2026-01-01T00:00:00Z");

it.each([
  ["2025-12-31T23:59:59Z", "over"],
  ["2026-01-01T00:00:05Z", "5 s"],
  ["2026-01-01T00:59:03Z", "59:03 min"],
  ["2026-01-01T01:30:00Z", "1 h 30 min"],
  ["2026-01-05T00:00:00Z", "4 days"],
  ["never", "no end"],
])("%s is in %s", (end, said) => expect(remaining(end, now)).toBe(said));
