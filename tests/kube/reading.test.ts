// What a client reads through the Kubernetes surface. Codes, messages, details and headers are
// those of kube-apiserver 1.36, written out: clients and scripts compare them.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { it } from "node:test";
import { allWidgets, configMaps, created, group, regions, widget, widgets } from "./samples.ts";
import { pick, pickList, pickText } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import { onEachStore } from "./stores.ts";

interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: object;
}

function assertRefused(reply: Reply, expected: Refusal): void {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  assert.deepEqual(reply.json, { ...status, ...expected });
  assert.equal(reply.status, expected.code);
  assert.equal(reply.headers["content-type"], "application/json");
}

function badRequest(message: string): Refusal {
  return { code: 400, reason: "BadRequest", message };
}

function namesOf(reply: Reply): readonly unknown[] {
  assert.equal(reply.status, 200, reply.text);
  return pickList(reply.json, "items").map((item) => pick(item, "metadata.name"));
}

function query(values: Readonly<Record<string, string>>): string {
  return `?${new URLSearchParams(values).toString()}`;
}

onEachStore("revisions", (server) => {
  const get = (path: string): Promise<Reply> => server().request("GET", path);
  const head = async (): Promise<string> =>
    pickText((await get(widgets)).json, "metadata.resourceVersion");

  it("gives the newest state for no revision, any for 0, and one not older than N", async () => {
    const revision = await head();
    assert.match(revision, /^[1-9]\d*$/);
    for (const asked of ["", "?resourceVersion=0", `?resourceVersion=${revision}`]) {
      assert.deepEqual(namesOf(await get(widgets + asked)), ["a", "b", "c", "d", "e"]);
      assert.equal((await get(`${widgets}/a${asked}`)).status, 200);
    }
  });

  it("numbers all kinds by one counter, which only grows", async () => {
    const before = Number(await head());
    const made = await server().request("POST", widgets, widget("counted"));
    const own = Number(pickText(made.json, "metadata.resourceVersion"));
    assert.ok(own > before);
    await server().request("DELETE", `${widgets}/counted`);
    const maps = await get(configMaps);
    assert.ok(Number(pickText(maps.json, "metadata.resourceVersion")) > own);
  });

  it("lists the exact state of a revision", async () => {
    const before = await head();
    await created(server().request("POST", widgets, widget("later")));
    const exact = { resourceVersionMatch: "Exact", resourceVersion: before };
    const then = await get(widgets + query(exact));
    assert.deepEqual(namesOf(then), ["a", "b", "c", "d", "e"]);
    assert.equal(pick(then.json, "metadata.resourceVersion"), before);
    const notOlder = { resourceVersionMatch: "NotOlderThan", resourceVersion: before };
    assert.deepEqual(
      namesOf(await get(widgets + query(notOlder))),
      "abcde later".match(/later|\S/g),
    );
    await server().request("DELETE", `${widgets}/later`);
  });

  const forbidden = "resourceVersionMatch: Forbidden: resourceVersionMatch";
  const matches: readonly (readonly [string, string])[] = [
    ["resourceVersionMatch=Exact", `${forbidden} is forbidden unless resourceVersion is provided`],
    [
      "resourceVersionMatch=Exact&resourceVersion=0",
      `${forbidden} "exact" is forbidden for resourceVersion "0"`,
    ],
    [
      "resourceVersionMatch=Foo&resourceVersion=1",
      'resourceVersionMatch: Unsupported value: "Foo": ' +
        'supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      "resourceVersionMatch=Exact&resourceVersion=1&continue=abc",
      `${forbidden} is forbidden when continue is provided`,
    ],
    [
      "sendInitialEvents=true",
      "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
    ],
  ];
  for (const [asked, problem] of matches) {
    it(`refuses to list with ${asked}`, async () => {
      const { status, json } = await get(`${widgets}?${asked}`);
      assert.equal(status, 422);
      assert.equal(pick(json, "reason"), "Invalid");
      assert.equal(pick(json, "message"), `ListOptions.meta.k8s.io "" is invalid: ${problem}`);
      assert.equal(pick(json, "details.kind"), "ListOptions");
    });
  }

  it("waits three seconds for a future revision, then refuses it", async () => {
    const future = Number(await head()) + 100_000;
    const started = performance.now();
    const paths = [
      `${widgets}?resourceVersion=${future}`,
      `${widgets}/a?resourceVersion=${future}`,
      `${widgets}?resourceVersionMatch=Exact&resourceVersion=${future}`,
    ];
    const replies = await Promise.all(paths.map(get));
    assert.ok(performance.now() - started > 2_900);
    for (const reply of replies) {
      const message = pickText(reply.json, "message");
      assert.match(message, /^Timeout: Too large resource version: \d+, current: \d+$/);
      const cause = { reason: "ResourceVersionTooLarge", message: "Too large resource version" };
      const details = { causes: [cause], retryAfterSeconds: 1 };
      assertRefused(reply, { code: 504, reason: "Timeout", message, details });
      assert.equal(reply.headers["retry-after"], "1");
    }
  });

  it("refuses a revision that is no number", async () => {
    for (const [text, why] of [
      ["abc", "invalid syntax"],
      ["-1", "invalid syntax"],
      ["99999999999999999999999", "value out of range"],
    ]) {
      const value = `resourceVersion: Invalid value: "${text}"`;
      const problem = `strconv.ParseUint: parsing "${text}": ${why}`;
      const message = `invalid resource version: ${value}: ${problem}`;
      assertRefused(await get(`${widgets}?resourceVersion=${text}`), badRequest(message));
      assertRefused(await get(`${widgets}/a?resourceVersion=${text}`), badRequest(message));
    }
  });
});

onEachStore("pages", (server) => {
  const get = (path: string): Promise<Reply> => server().request("GET", path);

  it("pages through one snapshot, whatever happens meanwhile", async () => {
    const first = await get(`${widgets}?limit=2`);
    assert.deepEqual(namesOf(first), ["a", "b"]);
    assert.equal(pick(first.json, "metadata.remainingItemCount"), 3);
    await created(server().request("POST", widgets, widget("aa")));
    const token = pickText(first.json, "metadata.continue");
    const second = await get(widgets + query({ limit: "2", continue: token }));
    assert.deepEqual(namesOf(second), ["c", "d"]);
    assert.equal(pick(second.json, "metadata.remainingItemCount"), 1);
    const revision = pick(first.json, "metadata.resourceVersion");
    assert.equal(pick(second.json, "metadata.resourceVersion"), revision);
    const next = pickText(second.json, "metadata.continue");
    const last = await get(widgets + query({ limit: "2", continue: next }));
    assert.deepEqual(namesOf(last), ["e"]);
    assert.equal(pick(last.json, "metadata.continue"), "");
    assert.equal(pick(last.json, "metadata.remainingItemCount"), undefined);
    await server().request("DELETE", `${widgets}/aa`);
  });

  it("gives a token of the known form, relative to what is listed", async () => {
    const decode = (reply: Reply): unknown =>
      JSON.parse(Buffer.from(pickText(reply.json, "metadata.continue"), "base64url").toString());
    const inOne = await get(`${widgets}?limit=1`);
    const rv = Number(pickText(inOne.json, "metadata.resourceVersion"));
    assert.deepEqual(decode(inOne), { v: "meta.k8s.io/v1", rv, start: "a\0" });
    const inAll = await get(`${allWidgets}?limit=1`);
    assert.equal(pick(decode(inAll), "start"), "team/a\0");
    const token = pickText(inAll.json, "metadata.continue");
    assert.deepEqual(namesOf(await get(allWidgets + query({ continue: token }))), [
      "b",
      "c",
      "d",
      "e",
    ]);
  });

  it("answers a list of any state whole, and counts only what is not selected", async () => {
    const whole = await get(`${widgets}?limit=2&resourceVersion=0`);
    assert.deepEqual(namesOf(whole), ["a", "b", "c", "d", "e"]);
    assert.equal(pick(whole.json, "metadata.remainingItemCount"), undefined);
    const selected = await get(`${widgets}?limit=1&labelSelector=app`);
    assert.deepEqual(namesOf(selected), ["a"]);
    assert.notEqual(pick(selected.json, "metadata.continue"), "");
    assert.equal(pick(selected.json, "metadata.remainingItemCount"), undefined);
  });

  const tokenOf = (token: unknown): string =>
    Buffer.from(JSON.stringify(token)).toString("base64url");
  const tokens: readonly (readonly [string, string])[] = [
    ["abc", "invalid character 'i' looking for beginning of value"],
    ["!!!", "illegal base64 data at input byte 0"],
    [tokenOf({}), "server does not recognize this encoded version "],
    [tokenOf({ v: "x" }), "server does not recognize this encoded version x"],
    [
      tokenOf({ v: "meta.k8s.io/v1", start: "a" }),
      "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [tokenOf({ v: "meta.k8s.io/v1", rv: 1 }), "encoded start key empty (version meta.k8s.io/v1)"],
    [tokenOf({ v: "meta.k8s.io/v1", rv: 1, start: "../a" }), "../a"],
    [tokenOf([]), "json: cannot unmarshal array into Go value of type storage.continueToken"],
  ];
  for (const [token, why] of tokens) {
    it(`refuses a token because: ${why}`, async () => {
      const message = `invalid continue token: continue key is not valid: ${why}`;
      assertRefused(await get(widgets + query({ continue: token })), badRequest(message));
    });
  }

  it("refuses a token together with a revision", async () => {
    const token = pickText((await get(`${widgets}?limit=1`)).json, "metadata.continue");
    const asked = query({ continue: token, resourceVersion: "1" });
    const message = "specifying resource version is not allowed when using continue";
    assertRefused(await get(widgets + asked), badRequest(message));
  });

  it("refuses a limit that is no number", async () => {
    for (const [text, why] of [
      ["abc", "invalid syntax"],
      ["", "invalid syntax"],
      ["99999999999999999999", "value out of range"],
    ]) {
      const message = `strconv.ParseInt: parsing "${text}": ${why}`;
      assertRefused(await get(`${widgets}?limit=${text}`), badRequest(message));
    }
  });

  it("tells of what is no longer remembered, with a token for the rest of the list", async () => {
    const first = await get(`${widgets}?limit=2`);
    const revision = pickText(first.json, "metadata.resourceVersion");
    await created(server().request("POST", widgets, widget("f")));
    await server().request("DELETE", `${widgets}/f`);
    await server().store.compact((await server().store.head()).revision);
    const exact = await get(
      widgets + query({ resourceVersion: revision, resourceVersionMatch: "Exact" }),
    );
    const tooOld = `The resourceVersion for the provided list is too old: ${revision}`;
    assertRefused(exact, { code: 410, reason: "Expired", message: tooOld });
    const token = pickText(first.json, "metadata.continue");
    const expired = await get(widgets + query({ continue: token, limit: "2" }));
    assert.equal(expired.status, 410);
    assert.equal(pick(expired.json, "reason"), "Expired");
    assert.equal(
      pick(expired.json, "message"),
      "The provided continue parameter is too old to display a consistent list result. " +
        "You can start a new list without the continue parameter, or use the continue token " +
        "in this response to retrieve the remainder of the results. Continuing with the " +
        "provided token results in an inconsistent list - objects that were created, modified, " +
        "or deleted between the time the first chunk was returned and now may show up in the list.",
    );
    const fresh = pickText(expired.json, "metadata.continue");
    assert.deepEqual(namesOf(await get(widgets + query({ continue: fresh }))), ["c", "d", "e"]);
  });
});

onEachStore("selectors", (server) => {
  const get = (path: string): Promise<Reply> => server().request("GET", path);

  const labels: readonly (readonly [string, string])[] = [
    ["app=x", "ac"],
    ["app==x", "ac"],
    ["app!=x", "bde"],
    ["app in (x,y)", "abc"],
    ["app notin (x)", "bde"],
    ["app", "abce"],
    ["!app", "d"],
    ["empty=", "e"],
    ["app=x,tier=1", "a"],
    ["app in ()", ""],
    ["tier>0", "a"],
    ["tier>1", ""],
    ["tier<2,app=x", "a"],
    ["app in (x,)", "ac"],
    [" app = x ", "ac"],
  ];
  for (const [selector, expected] of labels) {
    it(`selects ${expected || "nothing"} by labels ${selector}`, async () => {
      const found = namesOf(await get(widgets + query({ labelSelector: selector })));
      assert.deepEqual(found, expected.split(""));
    });
  }

  const badLabels: readonly (readonly [string, string])[] = [
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    ["app=x=y", "found '=', expected: ',' or 'end of string'"],
    ["app=x,", "found '', expected: identifier after ','"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    [
      "tier>x",
      'unable to parse requirement: values[0]: Invalid value: "x": ' +
        "for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ["app in x", "unable to parse requirement: found 'x' expected: '('"],
    ["app in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ];
  for (const [selector, message] of badLabels) {
    it(`refuses the labels ${selector}`, async () => {
      const path = query({ labelSelector: selector });
      assertRefused(await get(widgets + path), badRequest(message));
      assertRefused(await get(configMaps + path), badRequest(message));
    });
  }

  const fields: readonly (readonly [string, string])[] = [
    ["metadata.name=a", "a"],
    ["metadata.name!=a", "bcde"],
    ["metadata.namespace=team", "abcde"],
    ["metadata.namespace=other", ""],
    ["metadata.name=a,metadata.name=b", ""],
    ["spec.color=red", "a"],
    ["spec.color!=red", "bcde"],
    // A value that is missing is the empty one.
    ["spec.color=", "cde"],
    ["spec.color!=", "ab"],
    ["spec.size=1", "a"],
    ["spec.size=", "de"],
    ["spec.on=true", "a"],
    ["spec.on=", "bcde"],
    ["spec.color=red,spec.size=1", "a"],
    ["spec.color=red,spec.size=2", ""],
    ["spec.color=re\\,d", ""],
    ["metadata.name=a,", "a"],
  ];
  for (const [selector, expected] of fields) {
    it(`selects ${expected || "nothing"} by fields ${selector}`, async () => {
      const found = namesOf(await get(widgets + query({ fieldSelector: selector })));
      assert.deepEqual(found, expected.split(""));
    });
  }

  const badFields: readonly (readonly [string, string])[] = [
    ["spec.note=1", "field label not supported: spec.note"],
    ["metadata.uid=1", "field label not supported: metadata.uid"],
    ["foo", "invalid selector: 'foo'; can't understand 'foo'"],
    ["metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
    ["metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"],
  ];
  for (const [selector, message] of badFields) {
    it(`refuses the fields ${selector}`, async () => {
      const reply = await get(widgets + query({ fieldSelector: selector }));
      assertRefused(reply, badRequest(message));
    });
  }

  it("names the fields of a built-in kind that has no others", async () => {
    const known = 'only "metadata.name", "metadata.namespace"';
    const message = `"data.a" is not a known field selector: ${known}`;
    assertRefused(await get(`${configMaps}?fieldSelector=data.a%3Db`), badRequest(message));
    const secrets = await get("/api/v1/namespaces/team/secrets?fieldSelector=foo%3Db");
    assertRefused(secrets, badRequest("field label not supported: foo"));
  });

  it("selects events by what they are about", async () => {
    const events = "/api/v1/namespaces/team/events";
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "made", namespace: "team" },
      involvedObject: { kind: "Widget", name: "a", namespace: "team" },
      reason: "Made",
      type: "Normal",
    };
    await created(server().request("POST", events, event));
    const found: Readonly<Record<string, readonly string[]>> = {
      "involvedObject.name=a": ["made"],
      "involvedObject.kind=Widget,reason=Made,type=Normal": ["made"],
      "involvedObject.uid=": ["made"],
      "involvedObject.name=b": [],
      "type!=Normal": [],
    };
    for (const [selector, expected] of Object.entries(found)) {
      const reply = await get(events + query({ fieldSelector: selector }));
      assert.deepEqual(namesOf(reply), expected, selector);
    }
    const unknown = await get(`${events}?fieldSelector=foo%3Dbar`);
    assertRefused(unknown, badRequest("field label not supported: foo"));
  });
});

onEachStore("answers", (server) => {
  const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    server().request("GET", path, undefined, headers);
  const as = (kind: string): string => `application/json;as=${kind};v=v1;g=meta.k8s.io`;

  it("gives Tables and metadata to those who ask for them", async () => {
    const table = await get(widgets, { accept: as("Table") });
    assert.equal(pick(table.json, "kind"), "Table");
    assert.equal(pick(table.json, "apiVersion"), "meta.k8s.io/v1");
    assert.deepEqual(pick(table.json, "rows.0.cells"), ["a", "red"]);
    assert.equal(pick(table.json, "rows.0.object.kind"), "PartialObjectMetadata");
    const list = await get(widgets, { accept: as("PartialObjectMetadataList") });
    assert.equal(pick(list.json, "kind"), "PartialObjectMetadataList");
    assert.equal(pick(list.json, "items.0.spec"), undefined);
    const one = await get(`${widgets}/a`, { accept: as("PartialObjectMetadata") });
    assert.equal(pick(one.json, "kind"), "PartialObjectMetadata");
    const first = await get(widgets, { accept: `${as("Table")},application/json` });
    assert.equal(pick(first.json, "kind"), "Table");
  });

  it("gives YAML, also of errors, and heeds qualities", async () => {
    const yaml = await get(`${configMaps}/cm1`, { accept: "application/yaml" });
    assert.equal(yaml.headers["content-type"], "application/yaml");
    assert.match(yaml.text, /^apiVersion: v1\ndata:\n {2}a: b\nkind: ConfigMap\nmetadata:\n/);
    assert.match(yaml.text, /creationTimestamp: "2/);
    const better = "application/json;q=0.1,application/yaml;q=0.9";
    const chosen = await get(`${widgets}/a`, { accept: better });
    assert.equal(chosen.headers["content-type"], "application/yaml");
    const missing = await get(`${widgets}/none`, { accept: "application/yaml" });
    assert.equal(missing.status, 404);
    assert.match(missing.text, /^apiVersion: v1\ncode: 404\ndetails:\n/);
  });

  it("gives protobuf of built-in kinds", async () => {
    const accept = "application/vnd.kubernetes.protobuf";
    const reply = await get(`${configMaps}/cm1`, { accept });
    assert.equal(reply.headers["content-type"], accept);
    assert.deepEqual([...reply.bytes.subarray(0, 4)], [0x6b, 0x38, 0x73, 0]);
    const either = await get(`${widgets}/a`, { accept: `${accept},application/json` });
    assert.equal(either.headers["content-type"], "application/json");
  });

  it("refuses what it does not have with a list of what it has", async () => {
    const kinds = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    const message = `only the following media types are accepted: ${kinds}`;
    const refusal = { code: 406, reason: "NotAcceptable", message };
    const accepts = ["text/html", "application/vnd.kubernetes.protobuf", as("Foo")];
    for (const accept of accepts) {
      assertRefused(await get(`${widgets}/a`, { accept }), refusal);
      assertRefused(await get(widgets, { accept }), refusal);
    }
    assertRefused(await get(`${configMaps}/cm1`, { accept: "text/html" }), {
      ...refusal,
      message: `406: Not Acceptable\n\nAvailable representations: ${kinds}`,
      details: {},
    });
    const list = "you requested PartialObjectMetadata, but the requested object is a list";
    const meta = await get(widgets, { accept: as("PartialObjectMetadata") });
    assertRefused(meta, { ...refusal, message: `${list} (*unstructured.UnstructuredList)` });
  });

  it("shows items of built-in kinds without what the list says of them", async () => {
    const maps = await get(configMaps);
    assert.equal(pick(maps.json, "kind"), "ConfigMapList");
    assert.equal(pick(maps.json, "items.0.kind"), undefined);
    assert.equal(pick(maps.json, "items.0.apiVersion"), undefined);
    assert.equal(pick(maps.json, "metadata.continue"), undefined);
    const list = await get(widgets);
    assert.equal(pick(list.json, "items.0.kind"), "Widget");
    assert.equal(pick(list.json, "metadata.continue"), "");
  });

  it("indents for people and for those who ask", async () => {
    const indented = /^\{\n {2}"/;
    for (const agent of ["curl/8.1", "Wget/1.2", "Mozilla/5.0 (X11)"]) {
      assert.match((await get(`${widgets}/a`, { "user-agent": agent })).text, indented);
    }
    assert.match((await get(`${widgets}/a?pretty=true`)).text, indented);
    for (const asked of ["", "?pretty=false", "?pretty=x"]) {
      const { text } = await get(`${widgets}/a${asked}`);
      assert.match(text, /^\{"apiVersion".*\}\n$/);
    }
    const refused = await get(`${widgets}/none?pretty=1`);
    assert.match(refused.text, indented);
  });

  it("says how a Table shall show its objects, and refuses other ways", async () => {
    const accept = as("Table");
    const none = await get(`${widgets}?includeObject=None`, { accept });
    assert.equal(pick(none.json, "rows.0.object"), null);
    const whole = await get(`${widgets}?includeObject=Object`, { accept });
    assert.equal(pick(whole.json, "rows.0.object.kind"), "Widget");
    const problem = 'includeObject: Invalid value: "Foo"';
    const message = `${problem}: must be 'Metadata', 'Object', 'None', or empty`;
    assertRefused(
      await get(`${widgets}?includeObject=Foo`, { accept }),
      badRequest(`Unable to convert to Table as requested: ${message}`),
    );
  });

  it("compresses large answers for those who take it", async () => {
    const note = "n".repeat(140_000);
    await created(server().request("POST", widgets, widget("large", { note })));
    const packed = await get(`${widgets}/large`, { "accept-encoding": "gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.equal(packed.headers["vary"], "Accept-Encoding");
    const whole = JSON.parse(gunzipSync(packed.bytes).toString()) as unknown;
    assert.equal(pick(whole, "spec.note"), note);
    const small = await get(`${widgets}/a`, { "accept-encoding": "gzip" });
    assert.equal(small.headers["content-encoding"], undefined);
    await server().request("DELETE", `${widgets}/large`);
  });

  it("refuses a timeout that is no duration", async () => {
    const start = "invalid timeout specified in the request URL - time:";
    for (const path of [widgets, `${configMaps}/cm1`, "/api"]) {
      const invalid = `${start} invalid duration "abc"`;
      assertRefused(await get(`${path}?timeout=abc`), badRequest(invalid));
      const unitless = `${start} missing unit in duration "5"`;
      assertRefused(await get(`${path}?timeout=5`), badRequest(unitless));
      assert.equal((await get(`${path}?timeout=0s`)).status, 200);
      assert.equal((await get(`${path}?timeout=1h30m`)).status, 200);
    }
  });

  it("answers HEAD as GET without the body", async () => {
    const reply = await server().request("HEAD", `${widgets}/a`);
    assert.equal(reply.status, 200);
    assert.equal(reply.bytes.length, 0);
    assert.equal((await server().request("HEAD", `${widgets}/none`)).status, 404);
  });
});

onEachStore("paths", (server) => {
  const ask = (method: string, path: string, body?: object): Promise<Reply> =>
    server().request(method, path, body);
  const nothing = "the server could not find the requested resource";
  const notFound = { code: 404, reason: "NotFound", message: nothing, details: {} };
  const noMethod = "the server does not allow this method on the requested resource";
  const notAllowed = { code: 405, reason: "MethodNotAllowed", message: noMethod, details: {} };

  it("answers for an object that is not there by its name", async () => {
    const widgetDetails = { name: "none", group, kind: "widgets" };
    assertRefused(await ask("GET", `${widgets}/none`), {
      code: 404,
      reason: "NotFound",
      message: `widgets.${group} "none" not found`,
      details: widgetDetails,
    });
    assertRefused(await ask("GET", `${configMaps}/none`), {
      code: 404,
      reason: "NotFound",
      message: 'configmaps "none" not found',
      details: { name: "none", kind: "configmaps" },
    });
    const nowhere = `/apis/${group}/v1/namespaces/none/widgets`;
    assert.deepEqual(namesOf(await ask("GET", nowhere)), []);
  });

  it("answers in plain text where nothing is served", async () => {
    const paths = [
      "/nothing",
      `/apis/${group}/v1/gadgets`,
      `/apis/${group}/v9/widgets`,
      `/apis/${group}/v9`,
      "/apis/none.dev/v1/gadgets",
      "/apis/none.dev",
      `/apis/${group}/v1/namespaces/team/regions`,
      `${allWidgets}/a`,
      `/${widgets}`,
      `/apis/${group}/v1//widgets`,
    ];
    for (const path of paths) {
      const reply = await ask("GET", path);
      assert.equal(reply.status, 404, path);
      assert.equal(reply.text, "404 page not found\n");
      assert.equal(reply.headers["content-type"], "text/plain; charset=utf-8");
      assert.equal(reply.headers["x-content-type-options"], "nosniff");
    }
    const posted = await ask("POST", allWidgets, widget("x"));
    assert.equal(posted.text, "404 page not found\n");
  });

  it("answers with a Status in the groups of built-in kinds", async () => {
    const paths = [
      "/api/v9",
      "/api/v1/gadgets",
      "/api/v1/namespaces/team/gadgets",
      "/apis/rbac.authorization.k8s.io/v1/gadgets",
      "/apis/rbac.authorization.k8s.io/v1/namespaces/team/clusterroles",
      "/api/v1/namespaces/team/namespaces",
      "/api/v1/configmaps/cm1",
      `${configMaps}/cm1/status`,
      `${configMaps}/cm1/scale`,
    ];
    for (const path of paths) assertRefused(await ask("GET", path), notFound);
  });

  it("refuses methods that a path does not have", async () => {
    for (const [method, path] of [
      ["POST", "/api/v1/configmaps"],
      ["DELETE", "/api/v1/configmaps"],
      ["PUT", configMaps],
      ["PATCH", configMaps],
      ["POST", `${configMaps}/cm1`],
      ["DELETE", "/api/v1/namespaces"],
      ["POST", "/version"],
    ] as const) {
      assertRefused(await ask(method, path, {}), notAllowed);
    }
    for (const [method, verb] of [
      ["POST", "create"],
      ["DELETE", "delete"],
    ] as const) {
      assertRefused(await ask(method, `${widgets}/a/status`, {}), {
        code: 405,
        reason: "MethodNotAllowed",
        message: `${verb} is not supported on resources of kind "widgets.${group}"`,
        details: { group, kind: "widgets" },
      });
    }
    assertRefused(await ask("PUT", widgets, {}), badRequest("name must be provided"));
  });

  it("answers for a missing subresource of a defined kind by the name of the object", async () => {
    for (const path of [`${widgets}/a/parts`, `${widgets}/a/scale`]) {
      assertRefused(await ask("GET", path), {
        code: 404,
        reason: "NotFound",
        message: `widgets.${group} "a" not found`,
        details: { name: "a", group, kind: "widgets" },
      });
    }
    assert.equal((await ask("GET", `${widgets}/a/status`)).status, 200);
    assert.equal((await ask("GET", `${regions}/north`)).status, 200);
  });

  it("refuses names that would be other paths", async () => {
    const message = "Name parameter invalid: \"..\": may not be '..'";
    assertRefused(await ask("GET", `${widgets}/%2e%2e`), badRequest(message));
  });

  it("lists what there is at the root", async () => {
    const paths = pickList((await ask("GET", "/")).json, "paths");
    for (const path of ["/api/v1", "/apis", `/apis/${group}/v1`, "/healthz", "/metrics"]) {
      assert.ok(paths.includes(path), path);
    }
  });
});

onEachStore("who asks", (server) => {
  const anonymous = (path: string): Promise<Reply> =>
    server().request("GET", path, undefined, { authorization: "" });

  it("refuses an unknown token", async () => {
    const authorization = "Bearer unknown";
    const reply = await server().request("GET", widgets, undefined, { authorization });
    assertRefused(reply, { code: 401, reason: "Unauthorized", message: "Unauthorized" });
    const challenge = 'Bearer realm="setpoint", error="invalid_token"';
    const why = 'error_description="malformed token: it is neither a JWT nor a known token"';
    assert.equal(reply.headers["www-authenticate"], `${challenge}, ${why}`);
  });

  it("says who may not do what, and where", async () => {
    const reply = await anonymous(widgets);
    const cannot = 'User "system:anonymous" cannot';
    const where = `in API group "${group}" in the namespace "team"`;
    assertRefused(reply, {
      code: 403,
      reason: "Forbidden",
      message: `widgets.${group} is forbidden: ${cannot} list resource "widgets" ${where}`,
      details: { group, kind: "widgets" },
    });
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    const refused = `widgets.${group} "a" is forbidden`;
    assertRefused(await anonymous(`${widgets}/a/status`), {
      code: 403,
      reason: "Forbidden",
      message: `${refused}: ${cannot} get resource "widgets/status" ${where}`,
      details: { name: "a", group, kind: "widgets" },
    });
    const message = `forbidden: ${cannot} get path "/api"`;
    assertRefused(await anonymous("/api"), {
      code: 403,
      reason: "Forbidden",
      message,
      details: {},
    });
  });

  it("tells a service account what it may not read", async () => {
    const accounts = "/api/v1/namespaces/team/serviceaccounts";
    const metadata = { name: "reader", namespace: "team" };
    await created(
      server().request("POST", accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata }),
    );
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const issued = await server().request("POST", `${accounts}/reader/token`, request);
    const authorization = `Bearer ${pickText(issued.json, "status.token")}`;
    const reply = await server().request("GET", allWidgets, undefined, { authorization });
    assertRefused(reply, {
      code: 403,
      reason: "Forbidden",
      message:
        `widgets.${group} is forbidden: User "system:serviceaccount:team:reader" cannot list ` +
        `resource "widgets" in API group "${group}" at the cluster scope`,
      details: { group, kind: "widgets" },
    });
  });

  it("tells anybody whether it is well, as a whole and check by check", async () => {
    for (const path of ["/healthz", "/livez", "/readyz"]) {
      assert.equal((await anonymous(path)).text, "ok");
      const verbose = await server().request("GET", `${path}?verbose`);
      assert.match(verbose.text, /^\[\+\]ping ok\n[^]*check passed\n$/);
      for (const ask of [(at: string) => server().request("GET", at), anonymous]) {
        assert.equal((await ask(`${path}/ping`)).text, "ok");
      }
      assert.equal((await anonymous(`${path}/none`)).status, 403);
      assert.equal((await server().request("GET", `${path}/none`)).status, 404);
    }
    assert.match((await server().request("GET", "/readyz?verbose")).text, /\[\+\]etcd ok\n/);
    assert.equal((await anonymous("/readyz/store-writes")).text, "ok");
  });

  it("shows its version and its measures", async () => {
    const version = await server().request("GET", "/version");
    assert.equal(pick(version.json, "major"), "1");
    const metrics = await server().request("GET", "/metrics");
    assert.match(metrics.headers["content-type"] ?? "", /^text\/plain; version=0\.0\.4/);
    assert.match(metrics.text, /apiserver_request_total\{.*resource="widgets".*code="403"\} [1-9]/);
    assert.match(metrics.text, /process_resident_memory_bytes \d+/);
    assert.equal((await anonymous("/metrics")).status, 403);
  });

  it("does not fail by itself in anything above", () => {
    const { errors }: KubeServer = server();
    assert.deepEqual(errors, []);
  });
});
