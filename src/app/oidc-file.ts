/** The entries `oidc` of the configuration file: OpenID providers. */
import { providerProblem } from "../intents/auth/oidc-provider.ts";
import type { ClaimValue, OidcProvider } from "../intents/auth/oidc-provider.ts";
import { isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { Json } from "../kernel/json.ts";
import type { CodeClientConfig } from "./console/code-issuers.ts";
import { flag, readObject, text, texts, wrong } from "./file-fields.ts";
import type { Reader } from "./file-fields.ts";

export interface OidcFileConfig extends Omit<OidcProvider, "staticKeys"> {
  /** The authority of the provider's certificate, where it is not a public one. */
  readonly caFile?: string;
  /** Public keys that are accepted whether or not the provider can be reached. */
  readonly jwksFile?: string;
  /** Users can sign in to the console with this provider. */
  readonly console?: CodeClientConfig;
}

/** As the file has it: two fields have several forms. */
interface Written extends Omit<OidcFileConfig, "issuer" | "audiences" | "usernameClaims"> {
  readonly issuer?: string;
  readonly audiences?: readonly string[];
  readonly usernameClaim?: readonly string[];
}

/** `path` reads a path that is relative to the file. */
export function readOidc(value: Json, at: string, path: Reader): OidcFileConfig {
  const written: Written = readObject(value, at, fieldsOf(path));
  const { issuer, audiences = [], usernameClaim, ...others } = written;
  if (issuer === undefined) throw wrong(`${at}.issuer is missing`, at);
  const provider = {
    ...others,
    issuer,
    audiences,
    ...(usernameClaim === undefined ? {} : { usernameClaims: usernameClaim }),
  };
  checkClient(provider, at);
  const found = providerProblem(provider);
  if (found === undefined) return provider;
  throw wrong(`${at}.${found.field} ${found.problem}`, at);
}

/** The ID token of a sign-in names the client as its audience. */
function checkClient({ console, audiences, anyAudience }: OidcFileConfig, at: string): void {
  if (console === undefined) return;
  const { clientId } = console as Partial<CodeClientConfig>;
  if (clientId === undefined) throw wrong(`${at}.console.clientId is missing`, at);
  if (anyAudience === true || audiences.includes(clientId)) return;
  throw wrong(`${at}.audiences must contain ${clientId}, the client of the console`, at);
}

function fieldsOf(path: Reader): Readonly<Record<string, Reader>> {
  return {
    issuer: text,
    audiences: texts,
    anyAudience: flag,
    http: flag,
    usernameClaim: textOrTexts,
    usernamePrefix: possiblyEmpty,
    groupsClaim: text,
    groupsPrefix: possiblyEmpty,
    requiredClaims: mapOf(claimValue),
    extraClaims: mapOf(text),
    requireIssuedAt: flag,
    jwksUri: text,
    jwksFile: path,
    caFile: path,
    console: (value, field) =>
      readObject(value, field, {
        clientId: text,
        clientSecretFile: path,
        name: text,
        scopes: texts,
      }),
  };
}

/** An empty prefix differs from the default one. */
const possiblyEmpty: Reader = (value, field) => {
  if (typeof value === "string") return value;
  throw wrong(`${field} must be a string`, field);
};

const textOrTexts: Reader = (value, field) => {
  if (!isJsonArray(value)) return [text(value, field)];
  if (value.length > 0) return texts(value, field);
  throw wrong(`${field} must name at least one claim`, field);
};

const claimValue: Reader = (value, field): ClaimValue => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  throw wrong(`${field} must be a string, a number, true or false`, field);
};

function mapOf(reader: Reader): Reader {
  return (value, field) => {
    if (!isJsonObject(value)) throw wrong(`${field} must be a map`, field);
    const read = Object.entries(value).map(
      ([key, inner]) => [key, reader(inner, `${field}.${key}`)] as const,
    );
    return Object.fromEntries(read);
  };
}
