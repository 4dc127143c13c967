// Prints what is not ready on a server, and the newest revision of the first of them.
import { readFileSync } from "node:fs";
import { ApiError, createClient } from "setpoint/client";

const { SETPOINT_SERVER = "https://127.0.0.1:7443", SETPOINT_DATA = "setpoint-data" } = process.env;
const token = readFileSync(`${SETPOINT_DATA}/admin.token`, "utf8").trim();
const setpoint = createClient({ server: SETPOINT_SERVER, token });

try {
  const { total, groups } = await setpoint.call("getProblems");
  console.log(`${total} not ready`);
  for (const { kind, reason, examples } of groups) {
    const [first] = examples;
    if (first === undefined) continue;
    const { name, namespace } = first;
    const { revisions } = await setpoint.call("getHistoryByKindByName", {
      path: { kind, name },
      query: { namespace, limit: 1 },
    });
    console.log(`${kind} ${name}: ${reason}, revision ${revisions[0]?.revision}`);
  }
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(`${error.code}: ${error.message}; ${error.problem.suggestion ?? ""}`);
}
