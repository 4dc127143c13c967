// The engine as a server starts it, for the simulator.

import { startEngine } from "../../src/engine/engine.ts";
import { wakingCompanion } from "../../src/engine/wakes/waking-companion.ts";
import type { StartEngine } from "./fleet.ts";

export interface EngineModules {
  readonly startEngine: typeof startEngine;
  readonly wakingCompanion: typeof wakingCompanion;
}

/** Put together from modules, so that those with planted bugs can take the places of the real. */
export function engineFrom(modules: EngineModules): StartEngine {
  return (ports, options) =>
    modules.startEngine(ports, { ...options, companions: [modules.wakingCompanion] });
}

export const realEngine = engineFrom({ startEngine, wakingCompanion });
