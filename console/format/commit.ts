/** "4f2a1c9": the beginning of a commit, as git shows it. Other names stay as they are. */
export function shortCommit(revision: string): string {
  return /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 7) : revision;
}
