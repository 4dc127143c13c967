// NAME=VALUE, as the option --set takes it.

import { SetpointError } from "../../../kernel/errors.ts";

export function valueOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new SetpointError("config.invalid", `--set ${text} is not NAME=VALUE`);
}
