// How much each sign speaks for a field being create-only. Made by tools/connect/tune.ts; see
// docs/reference/connect-fields.md for the documents and the method.

import { readWeights } from "./weights.ts";

export const createOnlyWeights = readWeights(
  -3.0,
  0.4,
  `
top:location 2.98;level:4 -1.52;element -1.16;P:links 1.06;p:links 1.04;example:answered -0.95;
p:profile 0.93;p:data 0.87;P:networkprofile 0.85;level:2 -0.84;first:geo 0.78;w:geo 0.78;
w:container 0.77;n:mode 0.77;first:mode 0.77;patch:with string 0.73;w:input 0.71;
P:properties 0.70;first:data 0.66;w:reservation 0.65;enum -0.63;first:sql 0.62;t:object -0.59;
w:managed 0.58;example:none string 0.58;t:array -0.58;example:sent string 0.58;
patch:without string 0.57;w:point 0.56;last:location 0.56;w:create 0.56;top:tags -0.56;
w:restore 0.55;w:location 0.54;p:sku -0.54;P:sku -0.54;default 0.52;first:email 0.50;
w:access -0.50;first:administrator 0.49;example:none -0.49;format:date-time 0.49;
w:redundant 0.49;w:image 0.48;w:script 0.48;last:collation 0.47;w:collation 0.47;w:domain 0.47;
t:boolean -0.47;w:subnet 0.47;first:restore 0.47;w:host 0.47;w:database 0.47;w:sql 0.46;
first:create 0.46;level:1 -0.45;n:port 0.45;first:code 0.45;format:duration -0.44;p:tags -0.43;
first:port 0.43;first:resource -0.41;t:string -0.41;last:info 0.40;w:info 0.40;
n:retentiondays 0.40;p:services 0.40;first:auto 0.38;w:key -0.37;first:source 0.36;
last:password 0.36;required 0.36;w:replication 0.36;w:code 0.35;last:mode 0.35;w:mode 0.35;
first:username 0.35;patch:without 0.35;first:service 0.35;w:password 0.35;first:managed 0.35;
p:identity -0.34;first:type -0.34;w:data 0.34;w:workload 0.34;first:environment 0.34;
w:auto 0.33;last:port 0.33;last:login 0.33;first:network 0.33;w:environment 0.33;w:base64 0.33;
patch:without object 0.33;w:state -0.32;n:username 0.32;level:3 -0.32;t:integer -0.32;
last:state -0.32;w:configuration -0.31;w:version -0.31;P:identity -0.31;n:type -0.31;
w:auth 0.31;first:private -0.31;w:backup 0.31;p:info -0.30;last:configuration -0.30;
first:public -0.30;w:address -0.30;last:access -0.30;example:none array -0.29;w:tenant -0.29;
last:offer 0.29;w:administrator 0.29;patch:with integer -0.28;last:version -0.28;
last:username 0.28;w:username 0.28;last:key -0.28;example:none integer -0.28;first:command 0.27;
P:tags -0.27;n:links 0.26;first:links 0.26;last:resources 0.26;w:offer 0.26;first:script 0.26;
w:status -0.26;last:links 0.25;w:links 0.25;last:network 0.25;first:virtual 0.25;
first:target 0.25;w:resources 0.25;example:sent -0.25;n:password 0.24;p:policy -0.24;
w:center 0.24;first:password 0.24;w:update 0.24;w:credentials 0.24;last:status -0.24;
w:client -0.23;example:none object 0.23;patch:without array -0.23;first:availability 0.23;
w:resource 0.23;n:environmentvariables 0.23;last:variables 0.23;w:variables 0.23;w:static 0.23;
w:url 0.22;top:sku -0.21;last:name -0.21;w:partner 0.21;first:backup -0.21;format:int64 -0.21;
w:source 0.21;first:start -0.21;w:port 0.20;last:token 0.20;w:size -0.20;w:token 0.20;
first:retention 0.20;n:location -0.20;first:location -0.20;first:host -0.20;last:type 0.19;
last:capabilities 0.19;w:capabilities 0.19;first:end -0.19;last:scope 0.18;last:command 0.18;
p:rules -0.18;w:value -0.18;p:state -0.18;w:encryption -0.18;first:disabled 0.18;
w:disabled 0.18;last:alerts 0.18;w:alerts 0.18;w:email 0.18;w:command 0.17;w:app 0.17;
w:connection -0.17;w:target 0.17;last:time 0.16;w:default -0.16;p:policies -0.16;w:scope 0.16;
first:component 0.16;P:privatelinkserviceconnectionstate -0.16;last:value -0.16;
n:collation 0.16;first:collation 0.16;w:component 0.16;w:by -0.16;example:answered object -0.16;
last:reference 0.15;patch:with boolean -0.15;last:days 0.15;p:resources 0.15;w:node 0.15;
p:details -0.15;w:application -0.14;w:label 0.14;example:sent number 0.14;top:etag -0.14;
w:link -0.14;example:answered string -0.14;first:additional 0.14;w:additional 0.14;
first:initial 0.14;w:initial 0.14;w:private -0.13;first:bandwidth 0.13;n:networkprofile 0.13;
w:disk -0.13;w:event -0.13;first:enable -0.13;w:enable -0.13;w:bandwidth 0.13;
first:default -0.13;w:cache 0.13;first:is 0.13;w:is 0.13;w:zone 0.13;first:value -0.12;
w:days 0.12;w:message -0.12;p:schedule -0.12;w:hub -0.12;n:value -0.12;w:time 0.11;
first:use 0.11;last:addresses 0.11;w:addresses 0.11;format:uuid 0.11;w:sas 0.11;n:email 0.11;
last:zone 0.11;last:id 0.11;last:address -0.11;p:settings -0.11;w:action -0.10;
n:publicnetworkaccess -0.10;w:prefix -0.10;first:event -0.10;w:reference 0.10;w:set -0.10;
w:schedule -0.10;w:enabled -0.10;enum:open -0.10;w:retention 0.09;w:network 0.09;
last:size -0.09;patch:with array -0.09;first:object -0.09;first:time -0.09;n:objectid -0.09;
first:partner 0.09;last:namespace -0.08;w:namespace -0.08;first:linked 0.08;last:fqdn 0.08;
w:linked 0.08;w:aad -0.08;last:utc 0.08;w:utc 0.08;w:table -0.08;w:at -0.08;w:availability 0.08;
w:group 0.08;w:billing -0.08;w:fqdn 0.08;w:assigned -0.07;p:source -0.07;P:source -0.07;
w:subscription 0.07;w:gallery -0.07;last:enabled -0.07;w:rule -0.07;n:zoneredundant 0.07;
last:redundant 0.07;top:properties -0.07;w:primary -0.07;w:provider -0.07;n:endpoint 0.07;
w:deletion 0.07;n:createmode 0.07;n:principalid -0.07;says:create-only 0.07;w:details -0.07;
first:billing -0.07;w:custom -0.07;w:on -0.07;last:cidr 0.06;w:cidr 0.06;
example:sent boolean -0.06;last:properties -0.06;w:properties -0.06;last:details -0.06;
first:instance 0.06;last:at -0.06;w:user 0.06;last:content 0.06;first:aad -0.06;w:ip 0.06;
last:endpoint 0.06;w:property -0.05;w:capacity -0.05;w:vm -0.05;w:path -0.05;
p:credentials -0.05;first:image 0.05;
`,
);
