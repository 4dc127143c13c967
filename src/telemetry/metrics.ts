/**
 * Counters in the text form of Prometheus, under the names that dashboards for kube-apiserver know.
 * Labels come from a fixed set, so that no client can grow them by what it asks for.
 */
export interface RequestSample {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly code: number;
  readonly durationMs: number;
  /** Of requests to another surface than the Kubernetes API: which, and which kind of path. */
  readonly surface?: string | undefined;
  readonly route?: string | undefined;
}

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly kind: "gauge" | "counter";
  readonly value: number;
}

export interface Metrics {
  started(): void;
  finished(sample: RequestSample): void;
  /** The whole document; gauges are those that others know the value of. */
  text(gauges: readonly Gauge[]): string;
}

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 60];
const maxSeries = 5_000;

interface Total {
  readonly label: string;
  count: number;
}

interface Durations {
  readonly label: string;
  readonly counts: number[];
  sum: number;
  count: number;
}

export function createMetrics(): Metrics {
  const totals = new Map<string, Total>();
  const durations = new Map<string, Durations>();
  let inFlight = 0;
  return {
    started: () => {
      inFlight += 1;
    },
    finished: (sample) => {
      inFlight -= 1;
      const key = keyOf(sample);
      const total = totals.get(key);
      if (total !== undefined) total.count += 1;
      else if (totals.size < maxSeries) {
        totals.set(key, { label: labels(namesOf(sample)), count: 1 });
      }
      // A watch lasts as long as it is wanted; its length says nothing about the server.
      if (sample.verb === "WATCH") return;
      observe(durations, sample, sample.durationMs / 1_000);
    },
    text: (gauges) =>
      [
        head("apiserver_request_total", "counter", "Requests by verb, resource and status code."),
        ...[...totals.values()].map(
          ({ label, count }) => `apiserver_request_total{${label}} ${count}`,
        ),
        head("apiserver_request_duration_seconds", "histogram", "Response latency by verb."),
        ...[...durations.values()].flatMap(histogram),
        head("apiserver_current_inflight_requests", "gauge", "Requests in progress."),
        `apiserver_current_inflight_requests ${inFlight}`,
        ...gauges.flatMap(({ name, help, kind, value }) => [
          head(name, kind, help),
          `${name} ${value}`,
        ]),
        "",
      ].join("\n"),
  };
}

/** Made for every request, unlike the labels, which are made once for each series. */
function keyOf(sample: RequestSample): string {
  const { group, version, resource, subresource, verb, code, surface = "", route = "" } = sample;
  const what = `${group}\n${version}\n${resource}\n${subresource}\n${verb}\n${code}`;
  return surface === "" ? what : `${what}\n${surface}\n${route}`;
}

function observe(
  durations: Map<string, Durations>,
  { verb, surface = "" }: RequestSample,
  seconds: number,
): void {
  const key = surface === "" ? verb : `${verb}\n${surface}`;
  let found = durations.get(key);
  if (found === undefined) {
    const label = labels(surface === "" ? { verb } : { verb, surface });
    found = { label, counts: buckets.map(() => 0), sum: 0, count: 0 };
    durations.set(key, found);
  }
  found.sum += seconds;
  found.count += 1;
  for (let at = buckets.length - 1; at >= 0 && seconds <= (buckets[at] ?? 0); at -= 1) {
    found.counts[at] = (found.counts[at] ?? 0) + 1;
  }
}

function histogram({ label, counts, sum, count }: Durations): readonly string[] {
  const name = "apiserver_request_duration_seconds";
  return [
    ...buckets.map((bound, at) => `${name}_bucket{${label},le="${bound}"} ${counts[at] ?? 0}`),
    `${name}_bucket{${label},le="+Inf"} ${count}`,
    `${name}_sum{${label}} ${sum}`,
    `${name}_count{${label}} ${count}`,
  ];
}

function namesOf(sample: RequestSample): Readonly<Record<string, string>> {
  const { group, resource, subresource, verb, version, surface, route = "" } = sample;
  const known = { group, resource, subresource, verb, version };
  const code = String(sample.code);
  return surface === undefined ? { ...known, code } : { ...known, surface, route, code };
}

function labels(values: Readonly<Record<string, string>>): string {
  const escaped = (value: string): string => value.replaceAll(/[\\"\n]/g, "_");
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function head(name: string, kind: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}`;
}
