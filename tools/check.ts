// `npm run check`: everything that needs no peer, in seconds; run it before each commit.
import { checkStages, runStages } from "./stages.ts";

const { failed } = await runStages(checkStages());
process.exitCode = failed > 0 ? 1 : 0;
