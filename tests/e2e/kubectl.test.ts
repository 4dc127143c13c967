// Every command of kubectl against a real server on the embedded store; with each further kubectl
// that SETPOINT_KUBECTL lists, the short way through.
import { kubectlPaths } from "../peers/kubectl.ts";
import { kubectlSuite } from "./contract/kubectl-suite.ts";

const [first, ...others] = kubectlPaths();
if (first !== undefined) kubectlSuite({ title: "SQLite", path: first });
for (const path of others) kubectlSuite({ title: "SQLite", path, isShort: true });
