// Counts what others name, and shows it in the text form of Prometheus. Names and labels are those
// of the definitions it was made with, and each has a bounded number of series: what is beyond is
// counted as dropped, never kept. Counting must cost next to nothing, so a series is found by one
// look-up per label and no text is built before somebody reads the numbers.

export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram, ascending; those of short calls when left out. */
  readonly buckets?: readonly number[];
  /** An earlier name, which is shown as well for one release. */
  readonly formerly?: string;
}

export interface TextMeter {
  count(name: string, labels?: Labels, by?: number): void;
  gauge(name: string, value: number, labels?: Labels): void;
  observe(name: string, seconds: number, labels?: Labels): void;
  /**
   * A gauge whose series are read each time the numbers are shown, so that no series outlives what
   * it is about. Ends with the returned function.
   */
  collect(name: string, read: () => Iterable<Sample>): () => void;
  /** Every series, as lines that end with a line feed. */
  text(): string;
}

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface MeterOptions {
  /** Series of one name. */
  readonly maxSeries?: number;
  /** Series of one name that are read when the numbers are shown. */
  readonly maxCollected?: number;
}

const droppedName = "setpoint_meter_dropped_total";
const defaultBuckets = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300];
const none: Labels = {};

interface Series {
  readonly values: readonly string[];
  value: number;
  /** Of a histogram: how many fell into each bucket, and not into one before it. */
  readonly counts: number[];
  sum: number;
}

interface Metric extends MetricDefinition {
  readonly name: string;
  readonly buckets: readonly number[];
  readonly series: Series[];
  readonly root: Branch;
  readonly readers: Set<() => Iterable<Sample>>;
}

/** One level for each label; the series is at the last. */
interface Branch {
  readonly below: Map<string, Branch>;
  series: Series | undefined;
}

export function createMeter(
  definitions: Readonly<Record<string, MetricDefinition>>,
  { maxSeries = 1_000, maxCollected = 20_000 }: MeterOptions = {},
): TextMeter {
  const metrics = new Map<string, Metric>(
    Object.entries(definitions).map(([name, definition]) => [name, newMetric(name, definition)]),
  );
  let dropped = 0;

  const seriesOf = (
    name: string,
    kind: MetricDefinition["kind"],
    labels: Labels,
  ): Series | undefined => {
    const metric = metrics.get(name);
    const found =
      metric === undefined || metric.kind !== kind
        ? undefined
        : (findSeries(metric, labels) ?? addSeries(metric, labels, maxSeries));
    if (found === undefined) dropped += 1;
    return found;
  };

  return {
    count: (name, labels = none, by = 1) => {
      const series = seriesOf(name, "counter", labels);
      if (series !== undefined) series.value += by;
    },
    gauge: (name, value, labels = none) => {
      const series = seriesOf(name, "gauge", labels);
      if (series !== undefined) series.value = value;
    },
    observe: (name, seconds, labels = none) => {
      const series = seriesOf(name, "histogram", labels);
      if (series === undefined) return;
      const { buckets = [] } = metrics.get(name) ?? {};
      series.value += 1;
      series.sum += seconds;
      let at = 0;
      while (at < buckets.length && seconds > (buckets[at] ?? 0)) at += 1;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
    },
    collect: (name, read) => {
      const metric = metrics.get(name);
      if (metric === undefined || metric.kind !== "gauge") {
        dropped += 1;
        return () => undefined;
      }
      metric.readers.add(read);
      return () => metric.readers.delete(read);
    },
    text: () => {
      const lines: string[] = [];
      for (const metric of [...metrics.values()].flatMap(withFormerName)) {
        lines.push(...metricLines(metric));
        const { shown, left } = collectedLines(metric, maxCollected);
        lines.push(...shown);
        dropped += left;
      }
      const help = "Samples dropped: unknown metric, or too many series.";
      return [
        ...lines,
        ...head(droppedName, "counter", help),
        `${droppedName} ${dropped}`,
        "",
      ].join("\n");
    },
  };
}

function newMetric(name: string, definition: MetricDefinition): Metric {
  const { buckets = defaultBuckets } = definition;
  return { ...definition, name, buckets, series: [], root: newBranch(), readers: new Set() };
}

function findSeries({ labels: names, root }: Metric, labels: Labels): Series | undefined {
  let branch: Branch | undefined = root;
  for (const name of names) {
    branch = branch.below.get(labels[name] ?? "");
    if (branch === undefined) return undefined;
  }
  return branch.series;
}

function addSeries(metric: Metric, labels: Labels, maxSeries: number): Series | undefined {
  if (metric.series.length >= maxSeries) return undefined;
  const values = metric.labels.map((name) => labels[name] ?? "");
  const counts = metric.kind === "histogram" ? [...metric.buckets, 0].map(() => 0) : [];
  const series: Series = { values, value: 0, counts, sum: 0 };
  metric.series.push(series);
  let branch = metric.root;
  for (const value of values) {
    const next = branch.below.get(value) ?? newBranch();
    branch.below.set(value, next);
    branch = next;
  }
  branch.series = series;
  return series;
}

function newBranch(): Branch {
  return { below: new Map(), series: undefined };
}

function withFormerName(metric: Metric): readonly Metric[] {
  const { formerly: name, help: text } = metric;
  if (name === undefined) return [metric];
  const help = `Deprecated: use ${metric.name}. ${text}`;
  return [metric, { ...metric, name, help }];
}

function metricLines(metric: Metric): readonly string[] {
  const { name, kind, help, labels, series } = metric;
  return [
    ...head(name, kind, help),
    ...series.flatMap((one) => {
      const shown = labels.map((label, at) => `${label}="${escaped(one.values[at] ?? "")}"`);
      return kind === "histogram"
        ? histogramLines(metric, shown, one)
        : [`${name}${braced(shown)} ${one.value}`];
    }),
  ];
}

/** `left` is the number of samples beyond the bound. */
function collectedLines(
  { name, labels, readers }: Metric,
  most: number,
): { readonly shown: readonly string[]; readonly left: number } {
  const shown: string[] = [];
  let left = 0;
  for (const read of readers) {
    for (const { labels: given, value } of read()) {
      const texts = labels.map((label) => `${label}="${escaped(given[label] ?? "")}"`);
      if (shown.length < most) shown.push(`${name}${braced(texts)} ${value}`);
      else left += 1;
    }
  }
  return { shown, left };
}

function histogramLines(
  { name, buckets }: Metric,
  labels: readonly string[],
  { counts, sum, value }: Series,
): readonly string[] {
  let below = 0;
  const within = buckets.map((bound, at) => {
    below += counts[at] ?? 0;
    return `${name}_bucket${braced([...labels, `le="${bound}"`])} ${below}`;
  });
  return [
    ...within,
    `${name}_bucket${braced([...labels, 'le="+Inf"'])} ${value}`,
    `${name}_sum${braced(labels)} ${sum}`,
    `${name}_count${braced(labels)} ${value}`,
  ];
}

function head(name: string, kind: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
}

function braced(labels: readonly string[]): string {
  return labels.length === 0 ? "" : `{${labels.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll(/["\\\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));
}
