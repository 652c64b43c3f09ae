import { defineConfig } from "vitest/config";

// Unit tests stand beside what they test; browser tests drive the real program.
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts", "sandbox/**/*.test.ts", "hostapp/**/*.test.ts"], environment: "node" } },
      {
        test: {
          name: "browser",
          include: ["browser/**/*.test.ts"],
          environment: "node",
          globalSetup: ["browser/harness/setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
