import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { tracingConfig } from "./tracing-config.ts";

test("nothing is traced without an endpoint", () => {
  assert.equal(tracingConfig({}), undefined);
  assert.equal(tracingConfig({ traceEndpoint: "", traceRatio: "0.5" }), undefined);
});

test("the path of OTLP is added to the endpoint, and options come before the file", () => {
  const file = { endpoint: "https://file:4318/otlp", ratio: 0.5, propagate: false };
  assert.deepEqual(tracingConfig({}, file), {
    url: "https://file:4318/otlp/v1/traces",
    headers: {},
    ratio: 0.5,
    propagates: false,
  });
  const options = {
    traceEndpoint: "http://localhost:4318",
    traceHeaders: "Authorization=Bearer%20x, tenant=a",
    traceRatio: "0.1",
  };
  assert.deepEqual(tracingConfig(options, file), {
    url: "http://localhost:4318/v1/traces",
    headers: { authorization: "Bearer x", tenant: "a" },
    ratio: 0.1,
    propagates: false,
  });
});

test("a mistake names the option, and repeats no value of a header", () => {
  const traceEndpoint = "http://localhost:4318";
  const mistakes = [
    [{ traceEndpoint: "localhost:4318" }, "tracing.endpoint"],
    [{ traceEndpoint: "grpc://localhost:4317" }, "tracing.endpoint"],
    [{ traceEndpoint, traceRatio: "2" }, "tracing.ratio"],
    [{ traceEndpoint, traceRatio: "often" }, "tracing.ratio"],
    [{ traceEndpoint, traceHeaders: "hunter2" }, "OTEL_EXPORTER_OTLP_HEADERS"],
    [{ traceEndpoint, traceHeaders: "a=hunter2%" }, "OTEL_EXPORTER_OTLP_HEADERS"],
    [{ traceEndpoint, traceHeaders: "a=hunter2%0A" }, "OTEL_EXPORTER_OTLP_HEADERS"],
  ] as const;
  for (const [options, option] of mistakes) {
    assert.throws(
      () => tracingConfig(options),
      (error) => {
        assert(isSetpointError(error, "config.invalid"));
        assert.equal(error.details["option"], option);
        assert(!`${error.message}${error.suggestion}`.includes("hunter2"));
        return true;
      },
    );
  }
});
