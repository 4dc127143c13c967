// What a Secret and its GitOpsDeploymentRepositoryCredential give to git. Pure.

import type { GitCredential } from "../../../adapters/git/port.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import { credentialSecretTypes } from "../names.ts";

export type CredentialFinding =
  | { readonly kind: "credential"; readonly credential: GitCredential }
  | CredentialFault;

export interface CredentialFault {
  readonly kind: "fault";
  readonly reason:
    | "SecretNotSpecified"
    | "SecretNotFound"
    | "SecretInvalidType"
    | "InvalidCredentials";
  readonly message: string;
}

export function credentialOf(resource: Resource, secret: Resource | undefined): CredentialFinding {
  const name = textAt(resource, "spec", "secret");
  if (name === "") return fault("SecretNotSpecified", "spec.secret is empty: name a Secret");
  if (secret === undefined) {
    return fault("SecretNotFound", `the Secret ${name} does not exist in this namespace`);
  }
  if (!credentialSecretTypes.includes(textAt(secret, "type"))) {
    const types = credentialSecretTypes.join(" or ");
    return fault("SecretInvalidType", `the Secret ${name} must have the type ${types}`);
  }
  const { username = "", password = "", sshPrivateKey = "" } = secretData(secret) ?? {};
  if (sshPrivateKey !== "") {
    const knownHosts = textAt(resource, "spec", "knownHosts");
    return {
      kind: "credential",
      credential: { kind: "ssh", privateKey: sshPrivateKey, knownHosts },
    };
  }
  if (password === "" || /[\0\r\n]/.test(username + password)) {
    const keys = "username and password in one line, or sshPrivateKey";
    return fault("InvalidCredentials", `the Secret ${name} needs the keys ${keys}`);
  }
  return { kind: "credential", credential: { kind: "basic", username, password } };
}

function fault(reason: CredentialFault["reason"], message: string): CredentialFault {
  return { kind: "fault", reason, message };
}
