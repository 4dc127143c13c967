// Credentials are in no document: the command that creates the Secret of a Connection.
import type { Json } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { keysOfAuth } from "../http/connection.ts";

/** The command that makes the Secret of a Connection; undefined where it names none. */
export function secretHint(connection: Json): string | undefined {
  const secret = textAt(connection, "spec", "auth", "secret");
  if (secret === "") return undefined;
  const auth = (part: string): string => textAt(connection, "spec", "auth", part);
  const keys = keysOfAuth(auth("kind"), auth("key")).map((key) => `--from-literal=${key}=...`);
  const place = `--namespace ${textAt(connection, "spec", "secretNamespace")}`;
  return (
    `the service needs authentication (${auth("kind")}); create the Secret that the Connection ` +
    `names: kubectl create secret generic ${secret} ${place} ${keys.join(" ")}`
  );
}
