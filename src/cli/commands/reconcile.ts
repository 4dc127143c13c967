// `setpoint reconcile KIND/NAME`: asks for a run now, also of what has been given up. With --wait
// it tells how the run ended; exit code 1 when that failed, or when there will be none.
import type { Command } from "commander";
import { requestRun, waitForRun } from "../client/reconcile-request.ts";
import { askAbout, findResource } from "../client/resource-argument.ts";
import { systemClock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { systemIds } from "../../kernel/ids.ts";
import { systemTimers } from "../../kernel/timers.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { plainText } from "../plain-text.ts";

interface Flags extends ClientFlags {
  readonly wait?: boolean;
  readonly timeout: string;
}

const explained = `
A request does not override a pause or an open circuit breaker: the run starts after these end.

Exit codes:
  0  the run was requested; with --wait: the run succeeded
  1  with --wait: the run failed, timed out or will not start; or the request failed

Examples:
  setpoint reconcile database/orders -n team-a
  setpoint reconcile database/orders --wait --timeout 300`;

export function addReconcile(program: Command): void {
  addClientOptions(program.command("reconcile [resource...]"))
    .description("request a reconcile run now")
    .usage("KIND/NAME|/subscriptions/... [options]")
    .option("--wait", "wait for the run and print its result")
    .option("--timeout <seconds>", "how long to wait", "60")
    .addHelpText("after", explained)
    .action(async (words: readonly string[], flags: Flags) => {
      const timeoutMs = secondsOf(flags.timeout) * 1_000;
      const client = clientFor(flags);
      const resource = await findResource(client, words, flags.namespace);
      const token = await askAbout(resource, () => requestRun(client, resource, systemIds));
      const name = `${resource.kind}/${resource.name}`;
      const isText = flags.output === "text";
      if (flags.wait !== true) {
        console.log(isText ? `${name} will be reconciled` : JSON.stringify({ token }));
        return;
      }
      const tell = (text: string): void => console.error(`still waiting: ${plainText(text)}`);
      const times = { timeoutMs, clock: systemClock, timers: systemTimers, tell };
      const handled = await waitForRun(client, resource, token, times);
      const { isSynced, isReady, report } = handled;
      const verdict = isSynced ? (isReady ? "ready" : "not ready yet") : "failed";
      const why = report === "" ? "" : ` (${plainText(report)})`;
      const document = { token, synced: isSynced, ready: isReady, report };
      console.log(isText ? `${name} was reconciled: ${verdict}${why}` : JSON.stringify(document));
      if (!isSynced) process.exitCode = 1;
    });
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new SetpointError("config.invalid", "--timeout must be a number of seconds", {
    details: { option: "timeout" },
  });
}
