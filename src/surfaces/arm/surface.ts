/** The resource-provider protocol of the Azure Resource Manager, as a surface of its module. */
import type { ModuleSurface } from "../http/module-surface.ts";
import { isArmPath } from "./protocol/arm-path.ts";

/** The code is loaded when it is needed, since every command of the command line reads the list. */
export const armSurface: ModuleSurface = {
  module: "resource-provider",
  open: async (ports) => {
    const { openArm } = await import("./open-surface.ts");
    return await openArm(ports);
  },
  resourceNaming: {
    matches: isArmPath,
    load: async () => {
      const { findByArmId } = await import("./resource-naming.ts");
      return findByArmId;
    },
  },
};
