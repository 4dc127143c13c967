// The credentials with which a document is read from a server that requires them. A value may be
// `@FILE`, so that it is neither in the history of a shell nor in the list of processes. Values are
// sent to the server of the document only and are in no message, report or file.

import { readFileSync } from "node:fs";
import { SetpointError } from "../../../kernel/errors.ts";

export interface CredentialFlags {
  readonly documentHeader?: readonly string[];
  readonly documentUser?: string;
  readonly documentToken?: string;
}

/** The headers of the requests; empty without credentials. */
export function documentHeaders(flags: CredentialFlags): Readonly<Record<string, string>> {
  const { documentHeader = [], documentUser, documentToken } = flags;
  const headers: Record<string, string> = {};
  for (const text of documentHeader) {
    const [, name = "", value = ""] = /^([\w!#$%&'*+.^`|~-]+)\s*[:=]\s*(.*)$/s.exec(text) ?? [];
    if (name === "") throw wrong("--document-header", "NAME: VALUE, or NAME: @FILE");
    headers[name.toLowerCase()] = checked("--document-header", textOf(value));
  }
  if (documentUser !== undefined) {
    const user = textOf(documentUser);
    if (!user.includes(":")) throw wrong("--document-user", "USER:PASSWORD, or @FILE");
    headers["authorization"] = `Basic ${Buffer.from(user).toString("base64")}`;
  }
  if (documentToken !== undefined) {
    headers["authorization"] = `Bearer ${checked("--document-token", textOf(documentToken))}`;
  }
  return headers;
}

function textOf(value: string): string {
  if (!value.startsWith("@")) return value;
  const file = value.slice(1);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const message = `the file ${file} with a credential cannot be read`;
    throw new SetpointError("config.invalid", message, { cause: error });
  }
}

/** The value is not shown: it is the credential. */
function checked(flag: string, value: string): string {
  if (value !== "" && !/[^\t\x20-\x7e\x80-\xff]/.test(value)) return value;
  throw wrong(flag, "a value of one line, in characters that a header can have");
}

function wrong(flag: string, form: string): SetpointError {
  return new SetpointError("config.invalid", `${flag} is not valid`, {
    suggestion: `write ${form}`,
  });
}
