// The bare repositories of a process, one for each cache. Fetches into one run one after the other;
// reads need no turn. A cache that grew too large is replaced by an empty one, and the old folder
// is removed when its last reader is done. All of them are removed when the process ends.

import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Cache {
  folder: string;
  /** Commits that are complete in `folder`. */
  readonly commits: Set<string>;
  bytes: number;
  usedAt: number;
  fetches: Promise<unknown>;
}

export interface CacheBounds {
  readonly maxRepositoryBytes: number;
  readonly maxCacheBytes: number;
}

export class Caches {
  readonly #folder: string;
  readonly #bounds: CacheBounds;
  readonly #caches = new Map<string, Cache>();
  readonly #readers = new Map<string, number>();
  /** Folders that go when their last reader is done. */
  readonly #retired = new Set<string>();
  #made = 0;
  #uses = 0;

  constructor(folder: string, bounds: CacheBounds) {
    this.#folder = folder;
    this.#bounds = bounds;
  }

  get bytes(): number {
    return [...this.#caches.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  find(key: string): Cache | undefined {
    return this.#caches.get(key);
  }

  /** Fetches into the cache, after the fetches before. `work` gets a repository that exists. */
  async fetch<T>(key: string, work: (cache: Cache) => Promise<T>): Promise<T> {
    const cache = this.#caches.get(key) ?? this.#create(key);
    const turn = cache.fetches.then(async () => {
      cache.usedAt = this.#uses += 1;
      if (cache.bytes > this.#bounds.maxRepositoryBytes / 2) await this.#renew(cache);
      await initialize(cache.folder);
      return await this.read(cache, async () => {
        try {
          return await work(cache);
        } finally {
          await removeLocks(cache.folder);
          cache.bytes = await folderBytes(cache.folder);
          await this.#bound(cache);
        }
      });
    });
    cache.fetches = turn.catch(() => undefined);
    return await turn;
  }

  /** The folder stays until `work` ends. */
  async read<T>(cache: Cache, work: (folder: string) => Promise<T>): Promise<T> {
    const { folder } = cache;
    cache.usedAt = this.#uses += 1;
    this.#readers.set(folder, (this.#readers.get(folder) ?? 0) + 1);
    try {
      return await work(folder);
    } finally {
      const left = (this.#readers.get(folder) ?? 1) - 1;
      if (left > 0) this.#readers.set(folder, left);
      else this.#readers.delete(folder);
      if (left === 0 && this.#retired.delete(folder)) await remove(folder);
    }
  }

  #create(key: string): Cache {
    const folder = this.#newFolder();
    const cache = { folder, commits: new Set<string>(), bytes: 0, usedAt: 0, fetches: none };
    this.#caches.set(key, cache);
    return cache;
  }

  #newFolder(): string {
    this.#made += 1;
    return join(this.#folder, `${this.#made}.git`);
  }

  async #renew(cache: Cache): Promise<void> {
    const { folder } = cache;
    cache.folder = this.#newFolder();
    cache.commits.clear();
    cache.bytes = 0;
    await this.#retire(folder);
  }

  async #retire(folder: string): Promise<void> {
    if (this.#readers.has(folder)) this.#retired.add(folder);
    else await remove(folder);
  }

  /** Removes the caches that were used the longest ago. */
  async #bound(current: Cache): Promise<void> {
    const oldest = [...this.#caches].toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
    for (const [key, cache] of oldest) {
      if (this.bytes <= this.#bounds.maxCacheBytes) return;
      if (cache === current || this.#readers.has(cache.folder)) continue;
      this.#caches.delete(key);
      await this.#retire(cache.folder);
    }
  }
}

const none = Promise.resolve();

/** The same as `git init --bare`, without a program. */
async function initialize(folder: string): Promise<void> {
  for (const part of ["objects/pack", "objects/info", "refs/heads"]) {
    await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
  }
  await writeFile(join(folder, "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(folder, "config"), "[core]\nrepositoryformatversion = 0\nbare = true\n");
}

/** Of a git that was killed. No other fetch runs in the folder. */
async function removeLocks(folder: string): Promise<void> {
  for (const part of [".", "objects/pack"]) {
    for (const name of await namesIn(join(folder, part))) {
      if (name.endsWith(".lock") || name.startsWith("tmp_")) await remove(join(folder, part, name));
    }
  }
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

/** Of all files below a folder; what vanishes meanwhile counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of await namesIn(next)) {
      const path = join(next, name);
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory() === true) pending.push(path);
      else bytes += found?.size ?? 0;
    }
  }
  return bytes;
}
