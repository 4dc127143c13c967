import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../../../kernel/resource.ts";
import { allowedPlaces, refusalOf } from "./addresses.ts";
import { destroyRequest, isExpected, requestFor, statusEndpoints, urlWith } from "./requests.ts";

const none = { cidrs: [], hosts: [] };

describe("addresses of HTTP calls", () => {
  it("are refused when they are private, loopback, link-local or translate to such", () => {
    const refused = [
      "127.0.0.1",
      "10.1.2.3",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
      "255.255.255.255",
      "224.0.0.1",
      "::1",
      "::",
      "fe80::1",
      "fd00::1",
      "ff02::1",
      "::ffff:127.0.0.1",
      "::ffff:a9fe:a9fe",
      "64:ff9b::7f00:1",
      "2002:7f00:1::",
      "not an address",
    ];
    for (const address of refused) {
      assert.match(refusalOf(none, address, "app.example") ?? "", /ExecutorPolicy/, address);
    }
  });

  it("are allowed when they are public", () => {
    for (const address of ["93.184.215.14", "172.32.0.1", "2606:2800:21f::1", "::ffff:8.8.8.8"]) {
      assert.equal(refusalOf(none, address, "app.example"), undefined, address);
    }
  });

  it("are allowed by the ranges and hosts of policies", () => {
    const places = allowedPlaces([
      { http: { allowPrivate: { cidrs: ["10.1.0.0/16", "fd00::/8"] } } },
      { http: { allowPrivate: { hosts: ["app.internal"] } } },
      { command: {} },
    ]);
    assert.equal(refusalOf(places, "10.1.200.3", "a"), undefined);
    assert.equal(refusalOf(places, "fd12::3", "a"), undefined);
    assert.equal(refusalOf(places, "127.0.0.1", "APP.internal"), undefined);
    assert.notEqual(refusalOf(places, "10.2.0.1", "a"), undefined);
    assert.doesNotMatch(refusalOf(places, "10.2.0.1", "a") ?? "", /10\.2/, "hides the address");
  });
});

function call(spec: object): Resource {
  const metadata = { name: "web", namespace: "default", uid: "u" };
  return { apiVersion: "v1", kind: "HttpCall", metadata, spec } as unknown as Resource;
}

describe("requests of HTTP calls", () => {
  it("send the application reference when no request is given", () => {
    const given = call({ url: "https://app.example/run", name: "shop", command: "deploy" });
    const { method, url, body } = requestFor(given, "create");
    assert.deepEqual([method, url.href], ["POST", "https://app.example/run"]);
    assert.deepEqual(body, { name: "shop", command: "deploy", action: "create" });
    assert.deepEqual(requestFor(given, "update").body, {
      name: "shop",
      command: "deploy",
      action: "update",
    });
    assert.equal(destroyRequest(given), undefined);
  });

  it("append paths, add secret fields, and prefer the body of a request", () => {
    const create = { method: "PUT", path: "/items/1?dry=no", body: { a: 1 }, expect: [201] };
    const given = call({
      url: "https://app.example/api/",
      requests: { create, destroy: { method: "DELETE", path: "items/1" } },
      body: { b: 2 },
      secretBody: { key: "s" },
      headers: { "X-A": "1" },
      secretHeaders: { Authorization: "t" },
    });
    const request = requestFor(given, "update");
    assert.equal(request.url.href, "https://app.example/api/items/1?dry=no");
    assert.deepEqual(request.body, { a: 1, key: "s" });
    assert.deepEqual(request.headers, { "x-a": "1", authorization: "t" });
    assert.equal(isExpected(request, 201), true);
    assert.equal(isExpected(request, 200), false);
    assert.equal(destroyRequest(given)?.url.href, "https://app.example/api/items/1");
  });

  it("do not send secret headers to status endpoints of another origin", () => {
    const endpoints = [{ path: "/health" }, { url: "https://other.example/health" }];
    const given = call({
      url: "https://app.example",
      secretHeaders: { Authorization: "t" },
      statusEndpoints: endpoints,
    });
    assert.deepEqual(
      statusEndpoints(given).map(({ url, headers }) => [url.href, Object.keys(headers).length]),
      [
        ["https://app.example/health", 1],
        ["https://other.example/health", 0],
      ],
    );
  });

  it("keep the path of the URL", () => {
    assert.equal(urlWith("https://a.example/b/", "/c").href, "https://a.example/b/c");
    assert.equal(urlWith("https://a.example", "").href, "https://a.example/");
  });
});
