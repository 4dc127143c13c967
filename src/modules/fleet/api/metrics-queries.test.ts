import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../../../kernel/resource.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import {
  exposition,
  instantItem,
  metricQueries,
  queryRange,
  rangeItem,
  seriesOf,
} from "./metrics-queries.ts";

const offering = readOffering(
  sampleOffering({
    metrics: {
      queries: [
        { name: "up", query: 'up{id="${id}",ns="${namespace}",other="${other}"}' },
        { name: "load", query: 'load{name="${name}",cluster="${cluster}"}' },
      ],
      labels: ["zone", "quote"],
    },
  }),
);
const instance = {
  metadata: { name: "rex" },
  spec: { id: 'i"1\\' },
  status: { namespace: "dinosaur-1", placement: { cluster: "c1" } },
} as unknown as Resource;

const queryOf = (values: Readonly<Record<string, string>>) => ({
  get: (name: string) => values[name],
  all: () => [],
});

describe("the queries of metrics", () => {
  it("have the instance filled in, as the value of a label", () => {
    assert.deepEqual(metricQueries(offering, instance, []), [
      { name: "up", query: String.raw`up{id="i\"1\\",ns="dinosaur-1",other="${"${other}"}"}` },
      { name: "load", query: 'load{name="rex",cluster="c1"}' },
    ]);
  });

  it("are those of the filters, which must be known", () => {
    const names = metricQueries(offering, instance, ["load"]).map(({ name }) => name);
    assert.deepEqual(names, ["load"]);
    assert.throws(
      () => metricQueries(offering, instance, ["load", "nope"]),
      /filters: "nope" is not a metric: use some of up, load/,
    );
  });

  it("need a duration and an interval in their bounds", () => {
    assert.deepEqual(queryRange(queryOf({ duration: "60", interval: "30" })), {
      durationSeconds: 3_600,
      intervalSeconds: 30,
    });
    const wrong: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{ interval: "30" }, /duration: is required: a whole number from 1 to 4320/],
      [{ duration: "60" }, /interval: is required/],
      [{ duration: "0", interval: "30" }, /duration/],
      [{ duration: "4321", interval: "30" }, /duration/],
      [{ duration: "1.5", interval: "30" }, /duration/],
      [{ duration: "60", interval: "10801" }, /interval/],
      [{ duration: "4320", interval: "1" }, /more than 11000 points/],
    ];
    for (const [values, message] of wrong) {
      assert.throws(() => queryRange(queryOf(values)), message);
    }
  });
});

describe("an answer of Prometheus", () => {
  const labels = { __name__: "kube_up", zone: "a", node: "internal-1", quote: 'x"y' };
  const answer = {
    data: {
      result: [
        {
          metric: labels,
          values: [
            [1_000, "1"],
            [1_030.5, "NaN"],
            [1_060, "2.5"],
          ],
        },
        { metric: {}, value: [1_000, "7"] },
        { metric: {}, value: [1_000, "+Inf"] },
      ],
    },
  };
  const series = seriesOf(offering, "up", answer);

  it("is shown with the labels of the Offering alone", () => {
    assert.deepEqual(rangeItem(series[0] ?? assert.fail()), {
      metric: { __name__: "up", zone: "a", quote: 'x"y' },
      values: [
        { timestamp: 1_000_000, value: 1 },
        { timestamp: 1_060_000, value: 2.5 },
      ],
    });
    assert.doesNotMatch(JSON.stringify(series), /internal|kube_up/);
  });

  it("is shown without values that JSON cannot have", () => {
    assert.deepEqual(series.map(instantItem), [
      { metric: { __name__: "up", zone: "a", quote: 'x"y' }, timestamp: 1_000_000, value: 1 },
      { metric: { __name__: "up" }, timestamp: 1_000_000, value: 7 },
      undefined,
    ]);
  });

  it("can be written in the format of Prometheus", () => {
    const expected = [
      "# TYPE up untyped",
      String.raw`up{zone="a",quote="x\"y"} 1 1000000`,
      "up 7 1000000",
      "",
    ];
    assert.equal(exposition(series), expected.join("\n"));
  });

  it("of another form has no series", () => {
    for (const odd of [null, {}, { data: { result: [{ value: ["x", 1] }] } }]) {
      assert.equal(seriesOf(offering, "up", odd).flatMap(({ samples }) => samples).length, 0);
    }
  });
});
