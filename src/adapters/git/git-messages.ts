// What a failed git means, from its messages (LC_ALL=C). Messages can contain texts of the host, so
// the tenant gets a sentence of ours and, for unknown failures, one bounded line. Pure.

import { shortText } from "../../kernel/short-text.ts";
import type { GitProblem, GitProblemReason } from "./port.ts";

interface Meaning {
  readonly pattern: RegExp;
  readonly reason: GitProblemReason;
  readonly message: string;
}

/** The first that matches. */
const meanings: readonly Meaning[] = [
  {
    pattern: /Host key verification failed|No .* host key is known/,
    reason: "HostKeyInvalid",
    message: "the key of the SSH host is not one of the known hosts",
  },
  {
    pattern: /detected dubious ownership/,
    reason: "RepositoryNotFound",
    message: "the local repository does not belong to the user of the server",
  },
  {
    pattern: /SSL certificate problem|certificate verif|gnutls_handshake|SSL_ERROR|CAfile|cacert/i,
    reason: "CertificateInvalid",
    message:
      "the certificate of the git host is not trusted: " +
      "add its authority to spec.caBundle of the credential",
  },
  {
    pattern: /terminal prompts disabled|could not read (?:Username|Password)/,
    reason: "AuthenticationFailed",
    message: "the git host demands a valid credential, or the repository does not exist",
  },
  {
    pattern: /Authentication failed|error: 40[13]\b|Permission denied \(|HTTP Basic: Access denied/,
    reason: "AuthenticationFailed",
    message: "the git host refuses the credential",
  },
  {
    pattern: /error: 30[12378]\b|update url base from redirection/,
    reason: "InvalidUrl",
    message: "the git host redirects this URL: use the URL that it redirects to",
  },
  {
    pattern: /error: 429\b/,
    reason: "Busy",
    message: "the git host limits requests",
  },
  {
    pattern:
      /repository '.*' not found|[Rr]epository not found|error: 404\b|does not appear to be a git/,
    reason: "RepositoryNotFound",
    message: "the repository does not exist, or the credential does not give access to it",
  },
  {
    pattern:
      /Could not resolve host|Failed to connect|Couldn't connect|Connection (?:refused|timed out)/i,
    reason: "HostUnreachable",
    message: "the git host cannot be reached",
  },
  {
    pattern:
      /No route to host|Network is unreachable|Operation t(?:imed|oo slow)|Connection reset|Empty/,
    reason: "HostUnreachable",
    message: "the git host cannot be reached",
  },
  {
    pattern: /error: 5\d\d\b|RPC failed|early EOF|hung up unexpectedly|expected flush|closed by/,
    reason: "HostUnreachable",
    message: "the git host failed to answer",
  },
  {
    pattern: /No space left on device|Disk quota exceeded/,
    reason: "TooLarge",
    message: "the server has no space for the repository",
  },
];

export function problemOf(stderr: string, hidden: readonly string[]): GitProblem {
  const found = meanings.find(({ pattern }) => pattern.test(stderr));
  if (found !== undefined) return gitProblem(found.reason, found.message);
  const lines = stderr.split("\n").filter((line) => /^(?:fatal|error): /.test(line));
  let line = (lines.at(-1) ?? "").replace(/^\w+: /, "").replaceAll(/\p{Cc}/gu, " ");
  for (const text of hidden) {
    if (text !== "") line = line.replaceAll(text, "…");
  }
  return gitProblem("Failed", line === "" ? "git failed" : `git failed: ${shortText(line, 300)}`);
}

/** The host does not send a commit that no ref has. */
export function isCommitRefused(stderr: string): boolean {
  return /not our ref|unadvertised object|no such remote ref|couldn't find remote ref/.test(stderr);
}

export function gitProblem(reason: GitProblemReason, message: string): GitProblem {
  return { kind: "problem", reason, message };
}
