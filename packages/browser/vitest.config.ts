import { defineConfig } from "vitest/config";

// Unit tests stand beside what they test; browser tests drive a real Chromium, against a small peer
// that speaks the wire and against the real gateway.
export default defineConfig({
  define: { __VERSION__: JSON.stringify("0.0.0-test") },
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts", "demo/**/*.test.ts"], environment: "node" } },
      {
        test: {
          name: "browser",
          include: ["browser/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          globalSetup: ["browser/support/setup.ts"],
        },
      },
    ],
  },
});
