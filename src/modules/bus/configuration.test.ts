import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { busSection, defaultConfiguration } from "./configuration.ts";
import { wantedKinds } from "./outbox/wanted-kinds.ts";

function problem(field: string, value: unknown): string | undefined {
  return busSection.fields[field]?.problem?.(value);
}

describe("the section bus", () => {
  it("accepts its own defaults", () => {
    for (const [field, value] of Object.entries(defaultConfiguration)) {
      assert.equal(problem(field, value), undefined, field);
    }
  });

  it("refuses a URL of another protocol, without a host, or with credentials", () => {
    for (const url of ["amqp://host", "amqps://host:5671/vhost", "amqp://[::1]:5672"]) {
      assert.equal(problem("url", url), undefined, url);
    }
    for (const url of ["http://host", "host:5672", "amqp://", "amqp://host?heartbeat=1"]) {
      assert.notEqual(problem("url", url), undefined, url);
    }
    const refused = problem("url", "amqp://user:hunter2@host") ?? "";
    assert.match(refused, /credentialsFile/);
    assert.ok(!refused.includes("hunter2"));
  });

  it("refuses values that are not of their form", () => {
    assert.match(problem("users", ["orders"]) ?? "", /BROKER-USER=USER/);
    assert.match(problem("kinds", ["*.*"]) ?? "", /PLURAL.GROUP/);
    assert.match(problem("prefetch", 0) ?? "", /from 1 to 64/);
    assert.match(problem("eventsExchange", "amq.topic") ?? "", /amq\./);
    assert.match(problem("credentialsSecret", "name") ?? "", /NAMESPACE\/NAME/);
  });
});

describe("the patterns of kinds", () => {
  const isServed = (id: string): boolean => !id.endsWith(".internal");

  it("match a kind, a group, or every served kind", () => {
    const most = wantedKinds(["*", "*.shop.dev", "!secrets", "!orders.shop.dev"], () => true);
    assert.ok(most("configmaps") && most("carts.shop.dev"));
    assert.ok(!most("secrets") && !most("orders.shop.dev"));
    const some = wantedKinds(["configmaps", "*.environments.setpoint.dev"], isServed);
    assert.ok(some("configmaps") && some("plans.environments.setpoint.dev"));
    assert.ok(!some("secrets") && !some("plans.other.dev"));
    const all = wantedKinds(["*"], isServed);
    assert.ok(all("secrets") && !all("commands.internal"));
  });
});
