// The module "insight": what happened to resources, and which of them have problems. It has routes
// only: it reads the log and the read model, and a rollback is a write through the write path.

import type { BuiltInModule } from "../../contract/module.ts";

export const insight: BuiltInModule = {
  name: "insight",
  version: 1,
  open: async () => {
    const { insightRoutes } = await import("./routes.ts");
    return { routes: insightRoutes };
  },
};
