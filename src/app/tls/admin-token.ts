// The administrator's token of the first start. It is made once, kept in a file that only its owner
// reads, and never printed; whoever can read the data folder is the administrator anyway.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SetpointError } from "../../kernel/errors.ts";
import type { Random } from "../../kernel/random.ts";
import { writeDurably } from "../durable-file.ts";

export const adminTokenFile = "admin.token";

export function openAdminToken(folder: string, random: Random): string {
  const path = join(folder, adminTokenFile);
  if (!existsSync(path)) {
    const token = Buffer.from(random.bytes(32)).toString("base64url");
    writeDurably(path, `${token}\n`, { existing: "keep", mode: 0o600 });
  }
  const token = readFileSync(path, "utf8").trim();
  if (token.length >= 32) return token;
  throw new SetpointError("config.invalid", `${path} does not contain a token`, {
    details: { path },
    suggestion: "delete the file; the next start creates a new token",
  });
}
