/** The three REST APIs of each Offering, as a surface of the module fleet. */
import type { ModuleSurface } from "../http/module-surface.ts";

/** The code is loaded when it is needed, since every command of the command line reads the list. */
export const fleetSurface: ModuleSurface = {
  module: "fleet",
  open: async (ports) => {
    const { openFleet } = await import("./open-surface.ts");
    return openFleet(ports);
  },
};
