// docs/how-to/monitor-servers.md, typed next to a running server, with a real Prometheus.
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "../e2e/newcomer.ts";
import { stepsOf } from "../e2e/page.ts";
import { startSetpoint } from "../peers/setpoint.ts";

test("an operator lets Prometheus read the metrics and check the alerts", async () => {
  await using server = await startSetpoint();
  await using operator = await newcomer();
  await symlink(root, join(operator.home, "setpoint"));
  await symlink(server.folder, join(operator.home, "setpoint-data"));
  const page = await readFile(join(root, "docs/how-to/monitor-servers.md"), "utf8");
  const ports = { 7443: Number(new URL(server.url).port), 9090: await freePort() };
  await operator.play(stepsOf(withPorts(page, ports).replaceAll("15s", "1s")));
});
