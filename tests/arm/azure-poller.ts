// A process that takes up a poller which another one has written down, and says how it ended. Its
// argument is a file with the server, the credentials and the state.
import { readFile } from "node:fs/promises";
import { longRunning, modularClient } from "./azure-clients.ts";
import type { Verb } from "./azure-clients.ts";

const [, , file = ""] = process.argv;
const text = await readFile(file, "utf8");
const { url, ca, token, verb, state } = JSON.parse(text) as {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly verb: Verb;
  readonly state: string;
};
const credentials = { kind: "bearer token", token } as const;
const { client } = modularClient({ url, ca, credentials }, "2026-01-01");
const poller = longRunning(client, verb, "", { restoreFrom: state });
await poller.poll();
console.log(poller.isDone ? "done already" : "still running");
console.log(`ended ${JSON.stringify((await poller.pollUntilDone()) ?? {})}`);
