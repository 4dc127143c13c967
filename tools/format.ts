// `npm run format`: rewrites what `npm run check` would complain about, where a tool can.
import { join } from "node:path";
import { root, runStage } from "./stages.ts";

const command = join(root, "node_modules", ".bin", "oxfmt");
const { code } = await runStage({ name: "format", command, args: ["--write", "."] }, true);
process.exitCode = code;
