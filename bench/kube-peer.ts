/**
 * What kube-apiserver 1.26 with etcd did on two cores, 1 KiB objects, TLS and HTTP/1.1, and what
 * Node's bare HTTPS server did there at the same time. Another machine's kube-apiserver is taken to
 * be as much faster or slower as its bare server is.
 */
export const peer = {
  /** Requests per second of the bare server that the figures below belong to. */
  bareHttps: 44_500,
  create: 1_254,
  update: 992,
  patch: 939,
  get: 2_834,
  mixed: 2_013,
  delete: 1_343,
  getOneMs: 0.83,
  patchOneMs: 1.96,
  listPagedMs: 1_457,
  listWholeMs: 1_609,
  /** p99 of deliveries to this many watchers at 200 writes per second. */
  watchP99Ms: { 1: 7.6, 100: 171, 500: 684, 1_000: 3_207 },
  memoryMiB: 2_135,
} as const;
