// The engine as a server starts it, for the simulator.

import { startEngine } from "../../src/engine/engine.ts";
import { wakingCompanion } from "../../src/engine/wakes/waking-companion.ts";
import type { StartEngine } from "./fleet.ts";

export const realEngine: StartEngine = (ports, options) =>
  startEngine(ports, { ...options, companions: [wakingCompanion] });
