// `setpoint template plan` and `setpoint template roll-out`.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { rolloutsKind } from "../names.ts";
import { inPath, namedValues, sessionOf, statesOf } from "./request.ts";
import type { Session } from "./request.ts";
import { aligned } from "./show.ts";

export const runPlanTemplate: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [template = ""] = call.args;
  const tags = namedValues("--tag", call.options["tag"], (value) => value);
  const waves = Array.isArray(call.options["waves"]) ? call.options["waves"].map(waveSize) : [];
  const spec: JsonObject = {
    template,
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(waves.length === 0 ? {} : { waves }),
  };
  const created = await session.server.post(session.path("template-rollouts"), { spec });
  const id = textAt(created, "id");
  for await (const rollout of statesOf(session, about(id))) {
    const phase = textAt(rollout, "status", "phase");
    if (phase === "" || phase === "Planning") continue;
    printRollout(call, rollout);
    return;
  }
};

export const runRollOut: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const patch = { spec: { approved: true } };
  const path = session.path(`template-rollouts/${inPath(id)}`);
  await session.server.patch(path, patch, "application/json");
  call.print(`rollout ${id} approved`);
  if (call.options["wait"] !== false) await follow(call, session, id);
};

async function follow(call: CommandCall, session: Session, id: string): Promise<void> {
  const shown = new Set<string>();
  for await (const rollout of statesOf(session, about(id))) {
    for (const each of objectsAt(rollout, "status", "environments")) {
      const state = textAt(each, "state");
      const message = textAt(each, "message");
      const line = `  ${textAt(each, "name")}  ${state}${message === "" ? "" : `: ${message}`}`;
      if (!shown.has(line) && state !== "Planned") call.print(line);
      shown.add(line);
    }
    const phase = textAt(rollout, "status", "phase");
    if (phase !== "Succeeded" && phase !== "Paused") continue;
    call.print(`rollout ${id}: ${phase}  ${textAt(rollout, "status", "message")}`);
    if (phase === "Paused") call.setExitCode(1);
    return;
  }
}

function about(id: string): Parameters<typeof statesOf>[1] {
  return { kind: rolloutsKind, route: "template-rollouts", id };
}

function printRollout(call: CommandCall, rollout: Json): void {
  const environments = objectsAt(rollout, "status", "environments");
  const rows = environments.map((each) => [
    textAt(each, "name"),
    String(numberAt(each, "wave") ?? ""),
    textAt(each, "state"),
    String(numberAt(each, "add") ?? 0),
    String(numberAt(each, "change") ?? 0),
    String(numberAt(each, "remove") ?? 0),
    textAt(each, "message"),
  ]);
  const head = ["ENVIRONMENT", "WAVE", "STATE", "ADD", "CHANGE", "REMOVE", "MESSAGE"];
  for (const line of aligned([head, ...rows])) call.print(line);
  const id = textAt(rollout, "id");
  call.print(`rollout ${id}: carry it out with: setpoint template roll-out ${id}`);
}

function waveSize(given: unknown): number {
  const size = Number(given);
  if (Number.isSafeInteger(size) && size > 0) return size;
  throw new SetpointError("config.invalid", `--waves ${String(given)} is not a positive number`);
}
