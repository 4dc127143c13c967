/** Commands and events over a message broker: decision 24 and docs/reference/bus.md. */
import type { BuiltInModule } from "../../contract/module.ts";
import { busSection } from "./configuration.ts";
import { busLimits } from "./limits.ts";
import { busMetrics } from "./metrics.ts";

export const bus: BuiltInModule = {
  name: "bus",
  version: 1,
  configuration: busSection,
  metrics: busMetrics,
  limits: busLimits,
  isStarted: ({ configuration }) => configuration !== undefined,
  open: async (ports) => (await import("./open.ts")).openBus(ports),
};
