// A commit on the branch main of a repository, with a signature in its header.
import type { GitRemote } from "./git-remote.ts";

export async function signedCommit(
  remote: Pick<GitRemote, "commit" | "git">,
  name: string,
  sign: (payload: string) => Promise<string>,
  message = "",
): Promise<string> {
  const commit = await remote.commit(name, { files: { [`signed-${Date.now()}`]: "1" } });
  const payload = `${await remote.git(name, ["cat-file", "commit", commit])}\n${message}`;
  const signature = (await sign(payload)).trimEnd().replaceAll("\n", "\n ");
  const text = payload.replace("\n\n", `\ngpgsig ${signature}\n\n`);
  const args = ["hash-object", "-t", "commit", "-w", "--stdin"];
  const signed = await remote.git(name, args, text);
  await remote.git(name, ["update-ref", "refs/heads/main", signed]);
  return signed;
}
