/** The commands of the message bus, as a surface of the module bus. It has no URLs. */
import type { ModuleSurface } from "../http/module-surface.ts";

/** The code is loaded when it is needed, since every command of the command line reads the list. */
export const busSurface: ModuleSurface = {
  module: "bus",
  open: async (ports) => {
    const { openBus } = await import("./open-surface.ts");
    openBus(ports);
    return [];
  },
};
