// `setpoint token`: prints a short-lived token of an OpenID issuer.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import type { Command } from "commander";
import { obtainToken } from "../../app/token/obtain-token.ts";
import { systemClock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { systemTimers } from "../../kernel/timers.ts";
import { systemEnvironment } from "../client/kubeconfig-file.ts";
import { plainText } from "../plain-text.ts";

interface Flags {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecretFile?: string;
  readonly device?: boolean;
  readonly scope?: string;
  readonly audience?: string;
  readonly resource?: string;
  readonly caFile?: string;
  readonly cache: boolean;
  readonly header?: boolean;
}

const help = `
With --client-secret-file, a program gets its token by the client-credentials grant. Without it, or
with --device, a person logs in on a page of the issuer. The login is saved in the configuration
folder of the user, so that the next command needs no login.

Examples:
  setpoint token --issuer https://login.example --client-id setpoint-cli
  setpoint token --issuer https://login.example --client-id robot --client-secret-file secret \\
    --header | curl -H @- https://setpoint.example/api/v1/problems
`;

export function addToken(program: Command): void {
  program
    .command("token")
    .description("print a short-lived token of an OpenID issuer")
    .addOption(
      new Option(
        "--issuer <url>",
        "OpenID issuer, as in the configuration of the server (required)",
      )
        .env("SETPOINT_ISSUER")
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--client-id <id>", "client that is registered with the issuer (required)")
        .env("SETPOINT_CLIENT_ID")
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--client-secret-file <file>", "file with the secret of the client").env(
        "SETPOINT_CLIENT_SECRET_FILE",
      ),
    )
    .option("--device", "log in as a person, although the client has a secret")
    .option("--scope <scopes>", "scopes of the token, separated by spaces")
    .option("--audience <name>", "audience of the token, where the issuer has this parameter")
    .option("--resource <uri>", "resource that the token is for (RFC 8707)")
    .option("--ca-file <file>", "certificate authority of the issuer, if it is not a public one")
    .option("--no-cache", "neither use nor save a login")
    .option("--header", "print the whole header: Authorization: Bearer TOKEN")
    .addHelpText("after", help)
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const { issuer, clientId, clientSecretFile = "", scope, audience, resource, caFile } = flags;
  const clientSecret = clientSecretFile === "" ? undefined : secretIn(clientSecretFile);
  const show = (line: string): void => void process.stderr.write(`${plainText(line)}\n`);
  const token = await obtainToken({
    issuer,
    client: { clientId, clientSecret, scope, audience, resource },
    isPerson: clientSecret === undefined || flags.device === true,
    authority: caFile === undefined ? undefined : read(caFile, "ca-file"),
    configFolder: flags.cache ? configFolder() : undefined,
    clock: systemClock,
    timers: systemTimers,
    show,
  });
  if (token.split(".").length !== 3) {
    show(
      "note: this token is not a JWT, so Setpoint does not accept it; try --audience or --scope",
    );
  }
  process.stdout.write(flags.header === true ? `Authorization: Bearer ${token}\n` : `${token}\n`);
}

function configFolder(): string {
  const { variables, home } = systemEnvironment;
  const given = variables["XDG_CONFIG_HOME"] ?? "";
  return given === "" ? join(home, ".config") : given;
}

function secretIn(path: string): string {
  const secret = read(path, "client-secret-file").trim();
  if (secret !== "") return secret;
  throw new SetpointError("config.invalid", `--client-secret-file: ${path} is empty`, {
    details: { option: "client-secret-file" },
    suggestion: "write the secret of the client into the file",
  });
}

function read(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new SetpointError("config.invalid", `--${option}: ${path} cannot be read`, {
      cause,
      details: { option },
      suggestion: "name an existing file that you may read",
    });
  }
}
