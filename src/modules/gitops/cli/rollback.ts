// `setpoint gitops rollback`: a pin for an automated deployment, a SyncRun for a manual one.

import type { RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { objectOf, optionOf, readDeployment, sessionOf, shortCommit } from "./session.ts";
import { follow, reachedAt, runOnce } from "./sync.ts";
import { waitFor } from "./wait.ts";

export const runRollback: RunCommand = async (call) => {
  const session = sessionOf(call);
  const { server, path, name } = session;
  const deployment = await readDeployment(session);
  if (call.options["end"] === true) {
    await server.patch(path, { spec: { pin: null } });
    await follow(call, session);
    return;
  }
  const [, wanted = ""] = call.args;
  const revision = wanted === "" ? previous(deployment) : fromHistory(deployment, wanted);
  if (textAt(deployment, "spec", "type") === "manual") {
    await runOnce(call, session, { revision, isPruned: false });
    return;
  }
  const query = new URLSearchParams({ revision });
  const found = objectOf(await server.get(`${session.route("revision")}?${query.toString()}`));
  const [commit, head] = [textAt(found, "commit"), textAt(found, "head")];
  const reason = optionOf(call, "reason");
  const pin = { revision: commit, head, ...(reason === "" ? {} : { reason }) };
  await server.patch(path, { spec: { pin } });
  call.printError(
    `${name} keeps ${shortCommit(commit)} until its repository has a newer commit than ` +
      shortCommit(head),
  );
  if (call.options["wait"] !== false) await waitFor(call, session, reachedAt(commit));
};

function previous(deployment: JsonObject): string {
  const present = textAt(deployment, "status", "sync", "revision");
  const entry = objectsAt(deployment, "status", "history").findLast(
    (each) => textAt(each, "revision") !== present,
  );
  if (entry !== undefined) return textAt(entry, "revision");
  throw new SetpointError("config.invalid", "the history has no earlier commit", {
    suggestion: "name a commit, branch or tag",
  });
}

/** A number, or the beginning of a commit in the history; anything else is a name of git. */
function fromHistory(deployment: JsonObject, wanted: string): string {
  const history = objectsAt(deployment, "status", "history");
  const entry = history.find(
    (each) =>
      String(numberAt(each, "id")) === wanted ||
      (/^[0-9a-f]{7,}$/.test(wanted) && textAt(each, "revision").startsWith(wanted)),
  );
  return entry === undefined ? wanted : textAt(entry, "revision");
}
