// Admission webhooks as clients and webhooks see them. The texts are those of kube-apiserver.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import { jsonPatch, startWebhookServer } from "./webhook-server.ts";
import type { WebhookServer } from "./webhook-server.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";
let server: KubeServer;
let hooks: WebhookServer;
let count = 0;

before(async () => {
  server = await startKubeServer();
  hooks = await startWebhookServer();
  hooks.on("/allow", () => ({}));
  hooks.on("/deny", () => ({ allowed: false }));
});

after(async () => {
  await server.stop();
  await hooks[Symbol.asyncDispose]();
});

afterEach(async () => {
  for (const type of ["mutating", "validating"]) {
    await server.request("DELETE", `${group}/${type}webhookconfigurations`);
  }
  hooks.asked();
});

type Type = "Mutating" | "Validating";

async function configure(type: Type, webhooks: readonly object[], name = "test"): Promise<Reply> {
  return await server.request("POST", `${group}/${type.toLowerCase()}webhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${type}WebhookConfiguration`,
    metadata: { name },
    webhooks,
  });
}

function hook(path: string, extra: object = {}): object {
  return {
    name: `${path.slice(1)}.example.dev`,
    clientConfig: { url: hooks.url(path), caBundle: hooks.caBundle },
    rules: [rule({})],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 5,
    ...extra,
  };
}

function rule(changes: object): object {
  return {
    apiGroups: [""],
    apiVersions: ["v1"],
    resources: ["configmaps"],
    operations: ["*"],
    ...changes,
  };
}

async function create(changes: object = {}, query = ""): Promise<Reply> {
  count += 1;
  const metadata = { name: `map-${count}`, ...changes };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } };
  return await server.request("POST", `${maps}${query}`, body);
}

const message = ({ json }: Reply): unknown => pick(json, "message");
const paths = (): readonly string[] => hooks.asked().map(({ path }) => path);

describe("validating webhooks", () => {
  it("are asked in a review that tells who wants to do what", async () => {
    await configure("Validating", [hook("/allow")]);
    assert.equal((await create({ name: "review" }, "?fieldManager=me")).status, 201);
    const [{ review, query } = { review: {}, query: "" }] = hooks.asked();
    assert.equal(query, "timeout=5s");
    assert.equal(pick(review, "apiVersion"), "admission.k8s.io/v1");
    assert.equal(pick(review, "request.operation"), "CREATE");
    assert.equal(pick(review, "request.name"), "review");
    assert.equal(pick(review, "request.namespace"), "default");
    assert.equal(pick(review, "request.object.data.a"), "1");
    assert.equal(pick(review, "request.oldObject"), null);
    assert.equal(pick(review, "request.options.kind"), "CreateOptions");
    assert.equal(pick(review, "request.options.fieldManager"), "me");
    assert.equal(pick(review, "request.dryRun"), false);
    assert.deepEqual(pick(review, "request.requestResource"), {
      group: "",
      version: "v1",
      resource: "configmaps",
    });
  });

  it("deny with the code and the reason that they choose", async () => {
    const status = { message: "no way", code: 409, reason: "Conflict" };
    hooks.on("/choose", () => ({ allowed: false, status }));
    await configure("Validating", [hook("/choose")]);
    const reply = await create();
    assert.equal(reply.status, 409);
    assert.equal(pick(reply.json, "reason"), "Conflict");
    const text = 'admission webhook "choose.example.dev" denied the request: no way';
    assert.equal(message(reply), text);
  });

  it("deny without explanation as a bad request", async () => {
    await configure("Validating", [hook("/deny")]);
    const reply = await create();
    assert.equal(reply.status, 400);
    const text = 'admission webhook "deny.example.dev" denied the request without explanation';
    assert.equal(message(reply), text);
  });

  it("that fail make the request fail, or are ignored when they say so", async () => {
    const dead = { clientConfig: { url: "https://127.0.0.1:1/x", caBundle: hooks.caBundle } };
    await configure("Validating", [hook("/dead", dead)], "closed");
    const reply = await create();
    const why =
      'failed calling webhook "dead.example.dev": failed to call webhook: ' +
      'Post "https://127.0.0.1:1/x?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused';
    assert.equal(reply.status, 500);
    assert.equal(message(reply), `Internal error occurred: ${why}`);
    assert.deepEqual(pick(reply.json, "details"), { causes: [{ message: why }] });
    await server.request("DELETE", `${group}/validatingwebhookconfigurations/closed`);
    await configure("Validating", [hook("/dead", { ...dead, failurePolicy: "Ignore" })], "open");
    assert.equal((await create()).status, 201);
  });

  it("are not waited for beyond their timeout", async () => {
    hooks.on("/never", () => undefined);
    await configure("Validating", [hook("/never", { timeoutSeconds: 1 })]);
    assert.match(String(message(await create())), /timeout=1s": context deadline exceeded$/);
  });

  it("are only trusted with the certificate of their bundle", async () => {
    const clientConfig = { url: hooks.url("/allow") };
    await configure("Validating", [hook("/allow", { clientConfig })]);
    const text =
      /tls: failed to verify certificate: x509: certificate signed by unknown authority$/;
    assert.match(String(message(await create())), text);
  });

  it("cannot send the server elsewhere", async () => {
    hooks.on("/away", (_, response) => {
      response.writeHead(307, { location: hooks.url("/allow") }).end();
      return undefined;
    });
    await configure("Validating", [hook("/away")]);
    assert.equal((await create()).status, 500);
    assert.deepEqual(paths(), ["/away"]);
  });

  it("must answer the review that they were sent", async () => {
    hooks.on("/other", () => ({ uid: "other" }));
    await configure("Validating", [hook("/other")]);
    assert.match(String(message(await create())), /expected response.uid="[^"]+", got "other"$/);
  });

  it("may not patch", async () => {
    hooks.on("/patch", () => jsonPatch([]));
    await configure("Validating", [hook("/patch")]);
    assert.match(String(message(await create())), /webhook may not return response.patch$/);
  });

  it("hear of deletions with the old object", async () => {
    await create({ name: "going" });
    await configure("Validating", [hook("/deny", { rules: [rule({ operations: ["DELETE"] })] })]);
    assert.equal((await server.request("DELETE", `${maps}/going`)).status, 400);
    const [{ review } = { review: {} }] = hooks.asked();
    assert.equal(pick(review, "request.object"), null);
    assert.equal(pick(review, "request.oldObject.metadata.name"), "going");
  });

  it("are told of a dry run", async () => {
    await configure("Validating", [hook("/allow", { sideEffects: "NoneOnDryRun" })]);
    assert.equal((await create({}, "?dryRun=All")).status, 201);
    assert.equal(pick(hooks.asked()[0]?.review, "request.dryRun"), true);
  });

  it("warn, each warning once", async () => {
    hooks.on("/warn", () => ({ warnings: ["one", "one", 'two "q"'] }));
    await configure("Validating", [hook("/warn")]);
    assert.equal((await create()).headers["warning"], '299 - "one", 299 - "two \\"q\\""');
  });

  it("understand the older review when only that is offered", async () => {
    await configure("Validating", [hook("/allow", { admissionReviewVersions: ["v1beta1"] })]);
    assert.equal((await create()).status, 201);
    assert.equal(pick(hooks.asked()[0]?.review, "apiVersion"), "admission.k8s.io/v1beta1");
  });
});

describe("what a webhook is asked about", () => {
  it("follows from operations, resources and scope", async () => {
    await configure("Validating", [
      hook("/deny", {
        rules: [
          rule({ operations: ["UPDATE"] }),
          rule({ resources: ["secrets"] }),
          rule({ scope: "Cluster" }),
          rule({ resources: ["configmaps/status"] }),
        ],
      }),
    ]);
    assert.equal((await create()).status, 201);
    assert.deepEqual(paths(), []);
  });

  it("follows from the labels of the object, old or new", async () => {
    await create({ name: "labelled", labels: { x: "1" } });
    await configure("Validating", [hook("/deny", { objectSelector: { matchLabels: { x: "1" } } })]);
    assert.equal((await create()).status, 201);
    assert.equal((await create({ labels: { x: "1" } })).status, 400);
    const change = { metadata: { labels: { x: null } } };
    assert.equal((await server.request("PATCH", `${maps}/labelled`, change)).status, 400);
  });

  it("follows from the labels of the namespace, for a namespace from its own", async () => {
    const namespaceSelector = { matchLabels: { guarded: "yes" } };
    const rules = [rule({ resources: ["configmaps", "namespaces"] })];
    await configure("Validating", [hook("/deny", { namespaceSelector, rules })]);
    assert.equal((await create()).status, 201);
    const namespace = (name: string, labels: object): Promise<Reply> =>
      server.request("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name, labels },
      });
    assert.equal((await namespace("plain", {})).status, 201);
    assert.equal((await namespace("guarded", { guarded: "yes" })).status, 400);
  });

  it("follows from its conditions", async () => {
    const matchConditions = [
      { name: "who", expression: "request.userInfo.groups.exists(g, g == 'system:masters')" },
      { name: "what", expression: "object.metadata.name.startsWith('big-')" },
      { name: "may", expression: "authorizer.requestResource.check('create').allowed()" },
    ];
    await configure("Validating", [hook("/deny", { matchConditions })]);
    assert.equal((await create()).status, 201);
    assert.equal((await create({ name: "big-one" })).status, 400);
  });

  it("is not decided by a condition that fails", async () => {
    const matchConditions = [{ name: "bad", expression: "object.data.none == '1'" }];
    await configure("Validating", [hook("/allow", { matchConditions })]);
    const reply = await create({ name: "failing" });
    assert.equal(reply.status, 403);
    const why = "expression 'object.data.none == '1'' resulted in error: no such key: none";
    assert.equal(message(reply), `configmaps "failing" is forbidden: ${why}`);
  });

  it("is never a configuration of webhooks or policies", async () => {
    const everything = { apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
    await configure("Validating", [hook("/deny", { rules: [rule(everything)] })]);
    assert.equal((await configure("Mutating", [hook("/deny")])).status, 201);
  });

  it("is refused when a condition does not compile", async () => {
    const matchConditions = [{ name: "bad", expression: "request.foo == 1" }];
    const reply = await configure("Validating", [hook("/allow", { matchConditions })]);
    assert.equal(reply.status, 422);
    const where = /matchConditions\[0\]\.expression: Invalid value: .*undefined field 'foo'/;
    assert.match(String(message(reply)), where);
  });
});

describe("mutating webhooks", () => {
  it("change the object before it has an identity", async () => {
    hooks.on("/add", () => jsonPatch([{ op: "add", path: "/data/b", value: "2" }]));
    await configure("Mutating", [hook("/add")]);
    const reply = await create();
    assert.deepEqual(pick(reply.json, "data"), { a: "1", b: "2" });
    const [{ review } = { review: {} }] = hooks.asked();
    assert.equal(pick(review, "request.object.metadata.uid"), undefined);
    assert.notEqual(pickText(reply.json, "metadata.uid"), "");
  });

  it("do not see a generated name yet", async () => {
    await configure("Mutating", [hook("/allow")]);
    const reply = await create({ name: undefined, generateName: "made-" });
    assert.match(pickText(reply.json, "metadata.name"), /^made-/);
    const [{ review } = { review: {} }] = hooks.asked();
    assert.equal(pick(review, "request.name"), undefined);
    assert.equal(pick(review, "request.object.metadata.name"), undefined);
  });

  it("are asked in the order of their configurations", async () => {
    hooks.on("/first", () => jsonPatch([{ op: "add", path: "/data/order", value: "first" }]));
    hooks.on("/second", (review) => {
      const seen = pickText(review, "request.object.data.order");
      return jsonPatch([{ op: "add", path: "/data/order", value: `${seen},second` }]);
    });
    await configure("Mutating", [hook("/second")], "b");
    await configure("Mutating", [hook("/first")], "a");
    assert.equal(pick((await create()).json, "data.order"), "first,second");
  });

  it("are asked once more when a later one changed the object", async () => {
    hooks.on("/once", () => ({}));
    hooks.on("/late", () => jsonPatch([{ op: "add", path: "/data/late", value: "1" }]));
    const again = { reinvocationPolicy: "IfNeeded" };
    await configure("Mutating", [hook("/once", again), hook("/late")]);
    await create();
    assert.deepEqual(paths(), ["/once", "/late", "/once"]);
  });

  it("whose patch does not fit make the request fail", async () => {
    hooks.on("/unfit", () => jsonPatch([{ op: "remove", path: "/data/zz" }]));
    await configure("Mutating", [hook("/unfit")]);
    const why = "error in remove for path: '/data/zz': Unable to remove nonexistent key: zz";
    assert.equal(message(await create()), `Internal error occurred: ${why}: missing value`);
  });

  it("come before the rules of the kind", async () => {
    hooks.on("/spoil", () => jsonPatch([{ op: "add", path: "/data/a%20b", value: "1" }]));
    await configure("Mutating", [hook("/spoil")]);
    assert.equal((await create()).status, 422);
  });
});

describe("webhooks of another version", () => {
  it("see the object in the version of their rule", async () => {
    const schema = {
      openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    };
    const version = (name: string, storage: boolean): object => ({
      name,
      served: true,
      storage,
      schema,
    });
    await server.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "gadgets.example.dev" },
      spec: {
        group: "example.dev",
        names: { kind: "Gadget", plural: "gadgets" },
        scope: "Namespaced",
        versions: [version("v1", true), version("v2", false)],
      },
    });
    const gadgets = { apiGroups: ["example.dev"], apiVersions: ["v1"], resources: ["gadgets"] };
    await configure("Validating", [hook("/allow", { rules: [rule(gadgets)] })]);
    const gadget = (name: string): Promise<Reply> =>
      server.request("POST", "/apis/example.dev/v2/namespaces/default/gadgets", {
        apiVersion: "example.dev/v2",
        kind: "Gadget",
        metadata: { name },
      });
    assert.equal((await gadget("one")).status, 201);
    const [{ review } = { review: {} }] = hooks.asked();
    assert.equal(pick(review, "request.object.apiVersion"), "example.dev/v1");
    assert.equal(pick(review, "request.kind.version"), "v1");
    assert.equal(pick(review, "request.requestKind.version"), "v2");
    await server.request("DELETE", `${group}/validatingwebhookconfigurations`);
    const exact = hook("/deny", { rules: [rule(gadgets)], matchPolicy: "Exact" });
    await configure("Validating", [exact]);
    assert.equal((await gadget("two")).status, 201);
  });
});
