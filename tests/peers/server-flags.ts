/** The flags of Node.js that `bin/setpoint` gives the server, for servers of tests and benches. */
import { readFileSync } from "node:fs";

const command = readFileSync(new URL("../../bin/setpoint", import.meta.url), "utf8");

export const serverFlags: readonly string[] =
  /^flags="(.+)"$/m.exec(command)?.[1]?.split(" ") ?? [];
