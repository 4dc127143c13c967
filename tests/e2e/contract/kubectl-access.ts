// Who may do what, asked and made with kubectl, and the commands that create one built-in kind
// each: those send protobuf from 1.32 on.
import assert from "node:assert/strict";
import { it } from "node:test";
import { group, openRoom, since } from "./scene.ts";
import type { Stage } from "./scene.ts";

export function accessTests(stage: Stage): void {
  authTests(stage);
  builtInTests(stage);
}

function authTests({ scene, minor }: Stage): void {
  it("auth can-i answers for oneself and for others", async () => {
    const at = await openRoom(scene());
    assert.equal(await at.ok("auth can-i create widgets"), "yes\n");
    assert.equal(await at.ok("auth can-i delete configmaps/x"), "yes\n");
    const no = await at.run("auth can-i list widgets --as=bob");
    assert.deepEqual([no.code, no.stdout.split("\n")[0]?.split(" ")[0]], [1, "no"]);
    await at.ok(`create role reader --verb=get,list --resource=widgets.${group}`);
    await at.ok("create rolebinding readers --role=reader --user=bob");
    assert.equal(await at.ok("auth can-i list widgets --as=bob"), "yes\n");
    assert.equal((await at.run("auth can-i delete widgets --as=bob")).code, 1);
    assert.equal((await at.run("auth can-i list widgets --as=bob -A")).code, 1);
    const list = await at.ok("auth can-i --list --as=bob");
    assert.match(list, /^widgets\.e2e\.example\.dev +\[\] +\[\] +\[get list\]$/m);
    assert.match(await at.ok("auth can-i --list"), /^\*\.\* +\[\] +\[\] +\[\*\]$/m);
  });

  it("--as acts as someone else, within what they may", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    assert.equal(
      await at.refused("get wg one --as=eve"),
      'Error from server (Forbidden): widgets.e2e.example.dev "one" is forbidden: ' +
        'User "eve" cannot get resource "widgets" in API group "e2e.example.dev" ' +
        `in the namespace "${at.namespace}"\n`,
    );
    await at.ok(`create clusterrole ${at.namespace} --verb=get --resource=widgets.${group}`);
    await at.ok(`create rolebinding eve --clusterrole=${at.namespace} --group=painters`);
    await at.ok("get wg one --as=eve --as-group=painters");
    const bound = `create clusterrolebinding ${at.namespace} --clusterrole=${at.namespace}`;
    await at.ok(`${bound} --serviceaccount=${at.namespace}:robot`);
    await at.ok(`get wg one --as=system:serviceaccount:${at.namespace}:robot`);
    assert.match(await at.refused("get wg --as=eve --as-group=painters"), /cannot list resource/);
  });

  it("auth whoami tells the name", since(minor, 28), async () => {
    const at = await openRoom(scene());
    assert.match(await at.ok("auth whoami"), /^Username +\S+$/m);
    assert.match(await at.ok("auth whoami --as=bob -o json"), /"username": "bob"/);
  });

  it("auth reconcile makes roles as they are in a file", async () => {
    const at = await openRoom(scene());
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "r", namespace: at.namespace },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
    };
    assert.match(await at.ok("auth reconcile -f -", role), /role\..*\/r reconciled/);
    assert.equal(await at.ok("get role r -o jsonpath={.rules[0].verbs}"), '["get"]');
  });
}

function builtInTests({ scene, minor }: Stage): void {
  it("create makes each built-in kind", async () => {
    const at = await openRoom(scene());
    const made = async (words: string, printed: string): Promise<void> => {
      assert.equal(await at.ok(`create ${words}`), `${printed} created\n`);
    };
    await Promise.all([
      made(`namespace ${at.namespace}-a`, `namespace/${at.namespace}-a`),
      made("configmap cm --from-literal=a=1", "configmap/cm"),
      made("secret generic s --from-literal=p=secret", "secret/s"),
      made("serviceaccount robot", "serviceaccount/robot"),
      made("role r --verb=get --resource=configmaps", "role.rbac.authorization.k8s.io/r"),
      made(
        "rolebinding rb --role=r --serviceaccount=default:robot",
        "rolebinding.rbac.authorization.k8s.io/rb",
      ),
      made(
        `clusterrole ${at.namespace} --verb=get --non-resource-url=/livez`,
        `clusterrole.rbac.authorization.k8s.io/${at.namespace}`,
      ),
      made("quota q --hard=count/configmaps=3", "resourcequota/q"),
    ]);
    assert.equal(await at.ok("get cm cm -o jsonpath={.data}"), '{"a":"1"}');
    assert.equal(await at.ok("get secret s -o jsonpath={.data.p}"), "c2VjcmV0");
    assert.equal(await at.ok("get secret s -o jsonpath={.type}"), "Opaque");
    assert.match(await at.ok("describe secret s"), /p: +6 bytes/);
    assert.equal(await at.ok("get quota q -o jsonpath={.spec.hard}"), '{"count/configmaps":"3"}');
    assert.match(await at.ok("describe quota q"), /count\/configmaps +1 +3/);
    const subject = "get rolebinding rb -o jsonpath={.subjects[0].kind}/{.subjects[0].name}";
    assert.equal(await at.ok(subject), "ServiceAccount/robot");
    assert.match(await at.refused("create configmap cm"), /AlreadyExists|already exists/);
    const dry = await at.ok("create configmap d --from-literal=a=1 --dry-run=server -o yaml");
    assert.match(dry, /^data:\n {2}a: "1"$/m);
    assert.match(await at.refused("get cm d"), /NotFound/);
  });

  it("create token makes a token that the server takes", since(minor, 24), async () => {
    const at = await openRoom(scene());
    await at.ok("create serviceaccount robot");
    await at.ok("create role r --verb=list --resource=configmaps");
    await at.ok(`create rolebinding rb --role=r --serviceaccount=${at.namespace}:robot`);
    const token = (await at.ok("create token robot --duration=10m")).trim();
    assert.equal(token.split(".").length, 3);
    const path = `/api/v1/namespaces/${at.namespace}`;
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await scene().server.ask(`${path}/configmaps`, { headers })).status, 200);
    assert.equal((await scene().server.ask(`${path}/secrets`, { headers })).status, 403);
  });
}
