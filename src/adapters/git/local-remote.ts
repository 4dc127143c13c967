// A repository on this machine, below the folder that an administrator has opened for it.

import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Remote } from "./git-command.ts";
import { gitProblem } from "./git-messages.ts";
import type { GitUrl } from "./git-url.ts";
import type { GitProblem, GitRepository } from "./port.ts";

export async function localRemote(
  repository: GitRepository,
  url: GitUrl,
  folder: string | undefined,
): Promise<Remote | GitProblem> {
  if (folder === undefined) {
    const why = "the server has no local repositories: see localRepositories of its configuration";
    return gitProblem("InvalidUrl", `the URL of the repository: ${why}`);
  }
  if (repository.credential !== undefined) {
    return gitProblem("AuthenticationFailed", "a local repository is read without a credential");
  }
  const path = await realPath(join(folder, url.text));
  const root = await realPath(folder);
  // A link must not lead out of the folder. Both cases look the same to a tenant.
  if (path === undefined || root === undefined || !path.startsWith(root + sep)) {
    return gitProblem("RepositoryNotFound", "the local repository does not exist");
  }
  return { url: { ...url, text: path }, addresses: [], from: repository };
}

async function realPath(path: string): Promise<string | undefined> {
  return await realpath(path).catch(() => undefined);
}
