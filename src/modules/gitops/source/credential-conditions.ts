// The three conditions of a GitOpsDeploymentRepositoryCredential. A host that does not answer says
// nothing about the URL or the credential. Pure.

import type { ConditionInput } from "../../../kernel/conditions.ts";
import type { CredentialFault } from "./credential-secret.ts";
import type { SourceProblem } from "./source-trees.ts";

type Status = ConditionInput["status"];

interface Verdict {
  readonly url: readonly [status: Status, reason: string];
  readonly credential: readonly [status: Status, reason: string];
  readonly error: readonly [status: Status, reason: string];
}

export function credentialConditions(
  found: CredentialFault | SourceProblem | undefined,
): readonly ConditionInput[] {
  const { url, credential, error } = verdictOf(found);
  const condition = (type: string, [status, reason]: Verdict["url"]): ConditionInput => ({
    type,
    status,
    reason,
    message: status === "True" && type !== "ErrorOccurred" ? "" : (found?.message ?? ""),
  });
  return [
    condition("ErrorOccurred", error),
    condition("ValidRepositoryURL", url),
    condition("ValidRepositoryCredential", credential),
  ];
}

function verdictOf(found: CredentialFault | SourceProblem | undefined): Verdict {
  const upToDate = "RepositoryCredentialUpToDate";
  if (found === undefined) {
    return {
      url: ["True", "ValidRepositoryUrl"],
      credential: ["True", upToDate],
      error: ["False", upToDate],
    };
  }
  const { reason } = found;
  const neither = (word: string): Verdict => ({
    url: ["Unknown", word],
    credential: ["Unknown", word],
    error: ["True", word],
  });
  switch (reason) {
    case "SecretNotSpecified":
    case "SecretNotFound":
    case "SecretInvalidType":
    case "InvalidCredentials":
      return { ...neither(reason), credential: ["False", reason] };
    case "AuthenticationFailed":
      return { ...neither("InvalidCredentials"), credential: ["False", "InvalidCredentials"] };
    case "InvalidUrl":
    case "RepositoryNotFound":
      return { ...neither("InvalidRepositoryUrl"), url: ["False", "InvalidRepositoryUrl"] };
    case "PolicyDenied":
    case "AddressRefused":
      return neither("PolicyDenied");
    case "HostUnreachable":
    case "TimedOut":
    case "Busy":
      return neither("HostUnreachable");
    default:
      return neither("ErrorOccurred");
  }
}
