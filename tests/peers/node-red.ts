// A real Node-RED without its editor, with its flows in its folder.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findNodeRed } from "../../tools/peers.ts";
import { startService } from "./service.ts";
import type { Service } from "./service.ts";

const settings = {
  uiHost: "127.0.0.1",
  disableEditor: true,
  credentialSecret: "only-for-tests",
  telemetry: { enabled: false, updateNotification: false },
  // It would look for further nodes to install.
  externalModules: { autoInstall: false, palette: { allowInstall: false } },
  logging: { console: { level: "warn" } },
};

export async function startNodeRed(): Promise<Service> {
  const program = findNodeRed();
  if (program === undefined) throw new Error("no Node-RED here: run `npm run peers`");
  return await startService({
    name: "Node-RED",
    command: process.execPath,
    args: ({ folder, port }) => [
      program,
      `--port=${port}`,
      `--userDir=${folder}`,
      `--settings=${join(folder, "settings.js")}`,
    ],
    prepare: async (folder) => {
      const text = `module.exports = ${JSON.stringify(settings)};\n`;
      await writeFile(join(folder, "settings.js"), text);
    },
    readyPath: "/flows",
    isOurs: true,
  });
}
