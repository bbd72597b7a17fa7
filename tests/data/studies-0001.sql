BEGIN TRANSACTION;
CREATE TABLE toptwo_operations (
	study INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	pull INTEGER, 
	data TEXT NOT NULL, 
	PRIMARY KEY (study, number), 
	FOREIGN KEY(study) REFERENCES toptwo_studies (id)
);
INSERT INTO "toptwo_operations" VALUES(1,0,1.79504683988998985297e+09,'created',NULL,'[{"arms":{"tuple":["rye","spelt","wheat"]},"delta":1e-09,"epsilon":0.0,"algorithm":"T3C","threshold":"mixture","family":{"record":"toptwo.families.gaussian:Gaussian","fields":[0.5]},"direction":"maximize","max_samples":null,"seed":0,"design":"independent","compare":null,"items":null,"failures":"abort","worst":null,"lease":null},{"3.11":"83dbf6a5e7468c71721b93e1f55aa989b84ebacae7fd498d74340c4dcc6b27a9"},"0.1.0"]');
INSERT INTO "toptwo_operations" VALUES(1,1,1.79504683991799211502e+09,'asked',NULL,'[[0],1,null,[-1,-1,0.0,7446100150807744791],1795050439.917992,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,2,1.79504683991799211502e+09,'asked',NULL,'[[1],1,null,[-1,-1,0.0,7446100150807744791],1795050439.917992,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,3,1.79504683991799211502e+09,'asked',NULL,'[[2],1,null,[-1,-1,0.0,7446100150807744791],1795050439.917992,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,4,1.79504683991799211502e+09,'asked',NULL,'[[0],1,null,[-1,-1,0.0,7446100150807744791],1795050439.917992,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,5,1.79504683995098328593e+09,'told',3,'[3,0.6441,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,6,1.79504683997500228886e+09,'told',2,'[2,1.3247,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,7,1.7950468399949982166e+09,'told',1,'[1,0.3332,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,8,1.79504684002300047879e+09,'told',0,'[0,-0.3823,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,9,1.79504684004701972003e+09,'asked',NULL,'[[1],1,null,[2,2,0.9830722500000001,16155471280681435499],1795050440.0470197,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,10,1.79504684004701972003e+09,'asked',NULL,'[[2],1,null,[2,2,1.3107630000000001,6418098336845574591],1795050440.0470197,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,11,1.79504684004701972003e+09,'asked',NULL,'[[1],1,null,[2,2,1.9661445000000002,15127469466719265299],1795050440.0470197,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,12,1.79504684004701972003e+09,'asked',NULL,'[[1],1,null,[2,2,2.3593734000000004,5390096522883404391],1795050440.0470197,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,13,1.79504684007900500294e+09,'told',7,'[7,-0.2461,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,14,1.79504684010700726513e+09,'told',6,'[6,0.3157,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,15,1.79504684012700319291e+09,'told',5,'[5,0.0889,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,16,1.79504684015500545497e+09,'told',4,'[4,-0.4184,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,17,1.79504684017898440357e+09,'asked',NULL,'[[0],1,null,[2,2,0.66332162,14099467652757095099],1795050440.1789844,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,18,1.79504684017898440357e+09,'asked',NULL,'[[0],1,null,[2,2,0.795985944,4362094708921234191],1795050440.1789844,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,19,1.79504684017898440357e+09,'asked',NULL,'[[2],1,null,[2,2,0.8844288266666666,13071465838794924899],1795050440.1789844,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,20,1.79504684017898440357e+09,'asked',NULL,'[[2],1,null,[2,2,1.1371227771428571,3334092894959063991],1795050440.1789844,"vm:8754"]');
INSERT INTO "toptwo_operations" VALUES(1,21,1.79504684020698666575e+09,'told',11,'[11,0.6997,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,22,1.79504684023901224139e+09,'told',10,'[10,0.6667,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,23,1.79504684026101970668e+09,'told',9,'[9,0.2732,null,1]');
INSERT INTO "toptwo_operations" VALUES(1,24,1.79504684028701043127e+09,'told',8,'[8,-0.457,null,1]');
CREATE TABLE toptwo_studies (
	id INTEGER NOT NULL, 
	"key" VARCHAR(32) NOT NULL, 
	name TEXT NOT NULL, 
	length INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE ("key"), 
	UNIQUE (name)
);
INSERT INTO "toptwo_studies" VALUES(1,'7491f292a3244d9faa2d97f9b174f7b1','bread',25);
CREATE TABLE toptwo_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT toptwo_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "toptwo_version" VALUES('0001');
COMMIT;
