// Policies in CEL as clients see them. The texts are those of kube-apiserver.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { pick, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const policies = `/apis/${apiVersion}/validatingadmissionpolicies`;
const bindings = `/apis/${apiVersion}/validatingadmissionpolicybindings`;
const maps = "/api/v1/namespaces/default/configmaps";
let server: KubeServer;
let count = 0;

before(async () => {
  server = await startKubeServer();
});

after(async () => {
  await server.stop();
});

afterEach(async () => {
  await server.request("DELETE", bindings);
  await server.request("DELETE", policies);
});

async function policy(spec: object): Promise<Reply> {
  const resourceRules = [
    { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["*"] },
  ];
  return await server.request("POST", policies, {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "policy" },
    spec: { matchConstraints: { resourceRules }, ...spec },
  });
}

async function bind(spec: object = {}): Promise<void> {
  const reply = await server.request("POST", bindings, {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "binding" },
    spec: { policyName: "policy", validationActions: ["Deny"], ...spec },
  });
  assert.equal(reply.status, 201, reply.text);
}

async function bound(spec: object, binding: object = {}): Promise<void> {
  const reply = await policy(spec);
  assert.equal(reply.status, 201, reply.text);
  await bind(binding);
}

async function create(metadata: object = {}, data: object = { a: "1" }): Promise<Reply> {
  count += 1;
  const named = { name: `map-${count}`, ...metadata };
  return await server.request("POST", maps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: named,
    data,
  });
}

const must = (expression: string, extra: object = {}): object => ({
  validations: [{ expression, ...extra }],
});
const message = ({ json }: Reply): unknown => pick(json, "message");
const denied = (name: string, why: string): string =>
  `configmaps "${name}" is forbidden: ` +
  `ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: ${why}`;

describe("policies", () => {
  it("do nothing until they are bound", async () => {
    await policy(must("false"));
    assert.equal((await create()).status, 201);
    await bind();
    assert.equal((await create()).status, 422);
  });

  it("say which expression failed when they have no message", async () => {
    await bound(must("object.data.a == '2'"));
    const reply = await create({ name: "plain" });
    assert.equal(message(reply), denied("plain", "failed expression: object.data.a == '2'"));
    assert.equal(pick(reply.json, "reason"), "Invalid");
    assert.equal(pick(reply.json, "code"), 422);
  });

  it("prefer the message that an expression makes, and fall back on the plain one", async () => {
    const messageExpression = "'a is ' + object.data.a";
    await bound(must("false", { message: "bad a", messageExpression }));
    assert.equal(message(await create({ name: "made" })), denied("made", "a is 1"));
    assert.equal(message(await create({ name: "none" }, {})), denied("none", "bad a"));
  });

  it("choose the reason, which decides the code", async () => {
    await bound(must("false", { reason: "Forbidden", message: "no" }));
    const reply = await create();
    assert.deepEqual([reply.status, pick(reply.json, "reason")], [403, "Forbidden"]);
  });

  it("fail closed when an expression cannot be evaluated, and open when they say so", async () => {
    await bound(must("object.data.none == '1'"));
    const why = "expression 'object.data.none == '1'' resulted in error: no such key: none";
    assert.equal(message(await create({ name: "closed" })), denied("closed", why));
    await server.request("DELETE", bindings);
    await server.request("DELETE", policies);
    await bound({ ...must("object.data.none == '1'"), failurePolicy: "Ignore" });
    assert.equal((await create()).status, 201);
  });

  it("have variables, each known to the next", async () => {
    const variables = [
      { name: "first", expression: "object.data.a + 'x'" },
      { name: "second", expression: "variables.first + 'y'" },
    ];
    await bound({ variables, ...must("false", { messageExpression: "variables.second" }) });
    assert.equal(message(await create({ name: "vars" })), denied("vars", "1xy"));
  });

  it("see the request, the namespace and the rights of the user", async () => {
    const messageExpression =
      "request.operation + ' ' + request.resource.resource + ' in ' + " +
      "namespaceObject.metadata.name + ' ' + string(oldObject == null)";
    const expression = "!authorizer.requestResource.check('create').allowed()";
    await bound(must(expression, { messageExpression }));
    const why = "CREATE configmaps in default true";
    assert.equal(message(await create({ name: "seen" })), denied("seen", why));
  });

  it("are skipped when a condition does not hold", async () => {
    const matchConditions = [{ name: "big", expression: "object.metadata.name == 'big'" }];
    await bound({ matchConditions, ...must("false") });
    assert.equal((await create()).status, 201);
    assert.equal((await create({ name: "big" })).status, 422);
  });

  it("stop when they cost too much", async () => {
    const loop = (inner: string): string => `[1,2,3,4,5,6,7,8,9,10].all(x, ${inner})`;
    const expression = loop(loop(loop(loop(loop(loop("true"))))));
    await bound(must(expression));
    const text = String(message(await create()));
    assert.match(text, /operation cancelled: actual cost limit exceeded$/);
  });

  it("judge deletions by the old object", async () => {
    await create({ name: "kept" });
    await bound(must("request.operation != 'DELETE'", { message: "stays" }));
    const reply = await server.request("DELETE", `${maps}/kept`);
    assert.equal(message(reply), denied("kept", "stays"));
  });
});

describe("bindings", () => {
  it("warn instead of denying", async () => {
    await bound(must("false", { message: "hm" }), { validationActions: ["Warn", "Audit"] });
    const { status, headers } = await create();
    const who = "ValidatingAdmissionPolicy 'policy' with binding 'binding'";
    assert.equal(status, 201);
    assert.equal(headers["warning"], `299 - "Validation failed for ${who}: hm"`);
  });

  it("narrow down what a policy is about", async () => {
    const matchResources = { objectSelector: { matchLabels: { strict: "yes" } } };
    await bound(must("false"), { matchResources });
    assert.equal((await create()).status, 201);
    assert.equal((await create({ labels: { strict: "yes" } })).status, 422);
  });

  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  const limit = "object.metadata.name == params.metadata.name || object.data.a == params.data.max";

  it("bring the parameter that they name", async () => {
    await create({ name: "params" }, { max: "5" });
    const messageExpression = "'max ' + params.data.max";
    await bound(
      { paramKind, ...must(limit, { messageExpression }) },
      { paramRef: { name: "params", parameterNotFoundAction: "Deny" } },
    );
    assert.equal(message(await create({ name: "named" })), denied("named", "max 5"));
    assert.equal((await create({}, { a: "5" })).status, 201);
  });

  it("bring every parameter that they select", async () => {
    await create({ name: "first", labels: { role: "params" } }, { max: "1" });
    await create({ name: "second", labels: { role: "params" } }, { max: "6" });
    const messageExpression = "'max ' + params.data.max";
    const selector = { matchLabels: { role: "params" } };
    await bound(
      { paramKind, ...must(limit, { messageExpression }) },
      { paramRef: { selector, parameterNotFoundAction: "Deny" } },
    );
    assert.equal(message(await create({ name: "chosen" })), denied("chosen", "max 6"));
  });

  it("deny or allow when there is no parameter", async () => {
    const paramRef = { name: "nowhere", parameterNotFoundAction: "Deny" };
    await bound({ paramKind, ...must("true") }, { paramRef });
    const why =
      "failed to configure binding: " +
      "no params found for policy binding with `Deny` parameterNotFoundAction";
    assert.equal(message(await create({ name: "missing" })), denied("missing", why));
    await server.request("DELETE", bindings);
    await bind({ paramRef: { ...paramRef, parameterNotFoundAction: "Allow" } });
    assert.equal((await create()).status, 201);
  });

  it("tell of a kind of parameters that is not served", async () => {
    await bound(
      { paramKind: { apiVersion: "nope.dev/v1", kind: "Nope" }, ...must("true") },
      { paramRef: { name: "x", parameterNotFoundAction: "Deny" } },
    );
    const why = "failed to find resource referenced by paramKind: 'nope.dev/v1, Kind=Nope'";
    assert.ok(String(message(await create())).endsWith(why));
  });
});

describe("a policy that does not compile is refused", () => {
  const refused = async (spec: object, field: string, why: string): Promise<void> => {
    const reply = await policy(spec);
    assert.equal(reply.status, 422, reply.text);
    const text = String(message(reply));
    assert.ok(text.includes(`${field}: Invalid value: `), text);
    assert.ok(text.includes(why), text);
  };

  it("for its validations", async () => {
    await refused(must("foo == 1"), "spec.validations[0].expression", "undeclared reference");
    await refused(must("'x'"), "spec.validations[0].expression", "must evaluate to bool but got");
    await refused(must("params.x"), "spec.validations[0].expression", "'params'");
  });

  it("for its messages, which have no authorizer", async () => {
    const field = "spec.validations[0].messageExpression";
    await refused(must("true", { messageExpression: "1" }), field, "must evaluate to string");
    const messageExpression = "string(authorizer.requestResource.check('get').allowed())";
    await refused(must("true", { messageExpression }), field, "undeclared reference");
  });

  it("for its annotations", async () => {
    const auditAnnotations = [{ key: "k", valueExpression: "1" }];
    const why = "must evaluate to one of [string null_type] but got int";
    await refused({ auditAnnotations }, "spec.auditAnnotations[0].valueExpression", why);
  });

  it("for its variables, which know only those before them", async () => {
    const variables = [
      { name: "first", expression: "variables.second" },
      { name: "second", expression: "1" },
    ];
    await refused(
      { variables, ...must("true") },
      "spec.variables[0].expression",
      "undefined field",
    );
    const typed = [{ name: "n", expression: "size(object.data)" }];
    const spec = { variables: typed, ...must("variables.n == 'x'") };
    await refused(spec, "spec.validations[0].expression", "no matching overload");
  });
});

describe("the types of a policy are checked", () => {
  const warnings = async (): Promise<unknown> => {
    let found: unknown;
    const isChecked = async (): Promise<boolean> => {
      const { json } = await server.request("GET", `${policies}/policy`);
      found = pick(json, "status.typeChecking");
      return pick(json, "status.observedGeneration") === 1;
    };
    await waitUntil("the policy to be checked", isChecked);
    return found;
  };

  it("against the kinds that it names", async () => {
    await policy(must("object.dat.a == '1'", { messageExpression: "object.metadata.nme + 'x'" }));
    const found = pick(await warnings(), "expressionWarnings");
    assert.deepEqual(
      (found as readonly { fieldRef: string }[]).map(({ fieldRef }) => fieldRef),
      ["spec.validations[0].expression", "spec.validations[0].messageExpression"],
    );
    const text = String(pick(found, "0.warning"));
    assert.match(text, /^\/v1, Kind=ConfigMap: compilation failed: ERROR: .*undefined field 'dat'/);
  });

  it("and nothing is said when they fit", async () => {
    await policy(must("object.data.a == '1' && has(object.metadata.labels)"));
    assert.deepEqual(await warnings(), {});
  });
});
