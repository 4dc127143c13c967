// A real Prometheus that scrapes one target every second, with its data in its folder.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findPrometheus } from "../../tools/peers.ts";
import { startService } from "./service.ts";
import type { Service } from "./service.ts";

/** `target` is a host and a port, whose path /metrics is scraped. */
export async function startPrometheus(target: string): Promise<Service> {
  const command = findPrometheus();
  if (command === undefined) throw new Error("no Prometheus here: run `npm run peers`");
  const configuration = {
    global: { scrape_interval: "1s", scrape_timeout: "1s" },
    scrape_configs: [{ job_name: "test", static_configs: [{ targets: [target] }] }],
  };
  return await startService({
    name: "Prometheus",
    command,
    args: ({ folder, port }) => [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    prepare: async (folder) => {
      // JSON is YAML.
      await writeFile(join(folder, "prometheus.yml"), JSON.stringify(configuration));
    },
    readyPath: "/-/ready",
  });
}
