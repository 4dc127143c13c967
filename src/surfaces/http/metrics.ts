// Counts each request once, when it has ended, under the labels of its surface.

export interface RequestLabels {
  /** A verb of Kubernetes ("list") or a method in lower case ("post"). */
  readonly verb: string;
  /** Of the resource; empty for what is not served, because a client can invent any name. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Absent for Kubernetes, whose series have the labels of kube-apiserver. */
  readonly surface?: string;
  /** The kind of path, or its template. Only with `surface`. */
  readonly route?: string;
}

export interface RequestMetrics {
  /** Returns the time of the arrival, which `finished` takes back. */
  started(): number;
  finished(startedMs: number, labels: RequestLabels, status: number): void;
}

/** For requests that name nothing that is served. */
export const noResource = { group: "", version: "", resource: "", subresource: "" } as const;
