// A real Syncthing without folders and other devices. It announces itself nowhere and listens on
// the loopback address only.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findSyncthing } from "../../tools/peers.ts";
import { startService } from "./service.ts";
import type { Service } from "./service.ts";

/** What its API wants in the header X-API-Key. */
export const syncthingKey = "only-for-tests";

const off = [
  "globalAnnounceEnabled",
  "localAnnounceEnabled",
  "relaysEnabled",
  "natEnabled",
  "startBrowser",
  "crashReportingEnabled",
].map((name) => `<${name}>false</${name}>`);

const configuration = `<configuration version="36">
  <gui enabled="true" tls="false"><apikey>${syncthingKey}</apikey></gui>
  <options>
    <listenAddress>tcp://127.0.0.1:0</listenAddress>
    ${off.join("\n    ")}
    <urAccepted>-1</urAccepted>
    <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
  </options>
</configuration>
`;

export async function startSyncthing(): Promise<Service> {
  const command = findSyncthing();
  if (command === undefined) throw new Error("no Syncthing here: run `npm run peers`");
  return await startService({
    name: "Syncthing",
    command,
    args: ({ folder, port }) => [
      "serve",
      `--home=${folder}`,
      `--gui-address=127.0.0.1:${port}`,
      "--no-browser",
      "--no-restart",
      "--no-upgrade",
    ],
    env: (folder) => ({ HOME: folder }),
    prepare: async (folder) => await writeFile(join(folder, "config.xml"), configuration),
    readyPath: "/rest/system/status",
    headers: { "x-api-key": syncthingKey },
  });
}
