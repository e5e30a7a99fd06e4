#!/usr/bin/env python3
"""A Kubernetes API server with RBAC, a YuniKorn and a kubelet, on loopback: stage.py FOLDER ASSETS

etcd and kube-apiserver are the real ones of ASSETS. The YuniKorn answers what was recorded of a real 1.8.0, and takes its configuration from the
ConfigMap. The kubelet only serves port-forwards and logs. Both are stand-ins. Ends with its standard input. Needs python3 and openssl.
Prints one line of JSON when all of it runs: {"kubeconfig": FILE, "proxy": whether the service proxy can reach the YuniKorn}."""
import asyncio, base64, ctypes, gzip, hashlib, json, os, re, secrets, signal, socket, ssl, struct, subprocess, sys, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FOLDER, ASSETS = os.path.abspath(sys.argv[1]), sys.argv[2]
RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance', 'rest', '1.8.0')
PKI = f'{FOLDER}/pki'
os.makedirs(PKI, exist_ok=True)

def free():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]

def openssl(*arguments):
    subprocess.run(['openssl', *arguments], check=True, cwd=PKI, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

def key(name):
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', f'{name}.key')

key('ca'); key('sa')
openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', '/CN=stage', '-days', '30', '-out', 'ca.crt')
with open(f'{PKI}/server.ext', 'w') as f:
    f.write('subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n')
# Who there is. `admin` and the group `admins` stand in adminacl of the root of the recorded configuration.
USERS = {'root': ('root', ['system:masters']), 'admin': ('admin', ['kornsole-admin']), 'bob': ('bob', ['kornsole-admin']), 'eve': ('eve', ['admins', 'viewers']),
         'viewer': ('viewer', ['proxied']), 'nobody': ('nobody', ['none'])}
# What no output may have: the value of a Secret and of a variable of a pod.
SECRET = 'hunter2-' + secrets.token_hex(8)
TOKENS = {name: secrets.token_hex(16) for name in USERS}
with open(f'{PKI}/tokens.csv', 'w') as f:
    for name, (user, groups) in USERS.items():
        f.write(f'{TOKENS[name]},{user},uid-{user},"{",".join(groups)}"\n')

processes = []
def start(name, *command):
    log = open(f'{FOLDER}/{name}.log', 'wb')
    processes.append(subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

def end():
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()

PORT, ETCD, PEER, CORE, KUBELET, THROUGH = (free() for _ in range(6))
start('etcd', f'{ASSETS}/etcd', f'--data-dir={FOLDER}/etcd', f'--listen-client-urls=http://127.0.0.1:{ETCD}', f'--advertise-client-urls=http://127.0.0.1:{ETCD}',
      f'--listen-peer-urls=http://127.0.0.1:{PEER}', f'--initial-advertise-peer-urls=http://127.0.0.1:{PEER}', f'--initial-cluster=default=http://127.0.0.1:{PEER}', '--unsafe-no-fsync', '--log-level=warn')
def start_api_server():
    start('kube-apiserver', f'{ASSETS}/kube-apiserver', f'--etcd-servers=http://127.0.0.1:{ETCD}', '--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', f'--secure-port={PORT}',
          f'--tls-cert-file={PKI}/server.crt', f'--tls-private-key-file={PKI}/server.key', f'--token-auth-file={PKI}/tokens.csv', '--authorization-mode=RBAC', '--anonymous-auth=false',
          '--service-account-issuer=https://kubernetes.default.svc', f'--service-account-key-file={PKI}/sa.key', f'--service-account-signing-key-file={PKI}/sa.key',
          '--service-cluster-ip-range=10.96.0.0/24', '--endpoint-reconciler-type=none', '--disable-admission-plugins=ServiceAccount', '--kubelet-preferred-address-types=InternalIP', '--v=1')

def certificate(authority):
    """A new certificate of the API server, of its own authority or of another one."""
    if authority != 'ca':
        key(authority)
        openssl('req', '-x509', '-new', '-key', f'{authority}.key', '-subj', '/CN=other', '-days', '30', '-out', f'{authority}.crt')
    key('server')
    openssl('req', '-new', '-key', 'server.key', '-subj', '/CN=server', '-out', 'server.csr')
    openssl('x509', '-req', '-in', 'server.csr', '-CA', f'{authority}.crt', '-CAkey', f'{authority}.key', '-CAcreateserial', '-days', '30', '-extfile', 'server.ext', '-out', 'server.crt')

certificate('ca')
start_api_server()
TRUST = ssl.create_default_context(cafile=f'{PKI}/ca.crt')
def api(method, path, body=None, kind='application/json'):
    request = urllib.request.Request(f'https://127.0.0.1:{PORT}{path}', method=method, data=None if body is None else json.dumps(body).encode(),
                                     headers={'Authorization': 'Bearer ' + TOKENS['root'], 'Content-Type': kind})
    return json.loads(urllib.request.urlopen(request, context=TRUST, timeout=30).read())

def recorded():
    answers = {}
    for entry in json.load(open(f'{RECORDED}/index.json')):
        if entry['method'] != 'GET' or 'Accept' in entry['requestHeaders'] or 'Content-Encoding' in entry['headers']:
            continue
        answers[entry['path']] = (entry['status'], entry['headers'].get('Content-Type', ''), open(f"{RECORDED}/{entry['file']}", 'rb').read())
    return answers

ANSWERS = recorded()
def plain(text):
    """The configuration without what only the answer has."""
    kept, skipping = [], False
    for line in text.splitlines(keepends=True):
        if line[:1].strip() and line[0] not in '#-':
            skipping = line.split(':')[0].lower() in ('checksum', 'extra', 'deadlockdetectionenabled', 'deadlocktimeoutseconds')
        if not skipping:
            kept.append(line)
    return ''.join(kept)

FIRST = plain(ANSWERS['/ws/v1/config'][2].decode())
inside = {'text': FIRST}
UIDS = {}
# What is answered instead, by path.
OTHER = {}
# Applications whose pods have owners, with the names of the pods.
OWNED = {}

def app(name, pods):
    tags = lambda name: {'kubernetes.io/meta/namespace': 'team-a', 'kubernetes.io/meta/podName': name, 'kubernetes.io/label/queue': 'root.tenants.tenant-a.etl'}
    held = [{'allocationKey': UIDS[pod], 'allocationTags': tags(pod), 'requestTime': 946684800000000000, 'resource': {'vcore': 1000, 'memory': 1 << 30, 'pods': 1},
             'priority': '0', 'nodeId': 'n1', 'applicationId': name, 'placeholder': False} for pod in pods]
    return {'applicationID': name, 'partition': 'default', 'queueName': 'root.tenants.tenant-a.etl', 'submissionTime': 946684800000000000, 'allocations': held,
            'requests': [], 'applicationState': 'Running', 'user': 'sue', 'groups': ['dev'], 'usedResource': {'vcore': 2000, 'memory': 2 << 30}, 'stateLog': []}

def apps():
    """One of two pods, of the second of which there is another one of its name by now; and those that something owns."""
    owned = [app(name, pods) for name, pods in OWNED.items()]
    return [app('job-1', ('job-1-driver', 'job-1-worker')), *owned]

class Core(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *_):
        pass
    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        path = self.path
        if path == '/ws/v1/config':
            sum = hashlib.sha256(inside['text'].encode()).hexdigest().upper()
            return self.answer(200, 'application/x-yaml', f"{inside['text']}checksum: {sum}\n".encode())
        if path in OTHER:
            return self.answer(200, 'application/json', json.dumps(OTHER[path]).encode())
        status, kind, body = ANSWERS.get(path, (404, 'text/plain; charset=utf-8', b'404 page not found\n'))
        if path == '/ws/v1/partition/default/applications/active':
            body = json.dumps(json.loads(body) + apps()).encode()
        self.answer(status, kind, body)
    def do_POST(self):
        text = self.rfile.read(int(self.headers.get('Content-Length', 0))).decode()
        bad = 'refuse-me' in text
        self.answer(200, 'application/json', json.dumps({'allowed': not bad, 'reason': 'the stand-in refuses it' if bad else ''}).encode())

LOG = []
def flattened(found):
    """The text of the configuration in the map; a compressed one goes first."""
    packed = found.get('binaryData', {}).get('queues.yaml.gz')
    return gzip.decompress(base64.b64decode(packed)).decode() if packed else found.get('data', {}).get('queues.yaml', '')

def follow():
    """A scheduler's way with its map: with hot refresh off nothing is read, and a text that it refuses is only in its log."""
    refused = None
    while True:
        try:
            found = api('GET', '/api/v1/namespaces/yunikorn/configmaps/yunikorn-configs')
            text = flattened(found)
            if found.get('data', {}).get('service.enableConfigHotRefresh') == 'false':
                pass
            elif 'not-taken' not in text:
                inside['text'], refused = text, None
            elif text != refused:
                refused = text
                LOG.append('2026-01-01T00:00:00.000Z\tERROR\tcore.scheduler\treload configuration failed\t{"error": "the stand-in does not take it"}')
        except (OSError, KeyError, ValueError):
            pass
        time.sleep(0.2)

FORWARDS, LOOP = set(), []
async def log(writer, path):
    """What a container wrote; one that is followed goes on for as long as somebody reads."""
    before = 'previous=true' in path
    lines = [f'line {number} of the run before' for number in range(3)] if before else [f'{path.split("?")[0]} line {number}' for number in range(200)]
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n')
    def chunk(data):
        writer.write(f'{len(data):x}\r\n'.encode() + data + b'\r\n')
    chunk(''.join(f'{line}\n' for line in lines).encode())
    number = 0
    while 'follow=true' in path:
        number += 1
        chunk(f'and more {number}\n'.encode())
        await writer.drain()
        await asyncio.sleep(0.2)
    chunk(b'')

async def websocket(reader, writer):
    """A kubelet that has the scheduler's log, and forwards a port: channels 0 and 1, each begun by the number of the port."""
    FORWARDS.add(writer)
    try:
        head = (await reader.readuntil(b'\r\n\r\n')).decode()
        if head.startswith('GET /containerLogs/'):
            if '/containerLogs/yunikorn/' not in head:
                return await log(writer, head.split(' ')[1])
            body = ''.join(f'{line}\n' for line in ['INFO started', *LOG]).encode()
            writer.write(f'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n'.encode() + body)
            await writer.drain()
            return
        fields = dict(line.split(': ', 1) for line in head.split('\r\n')[1:] if ': ' in line)
        fields = {name.lower(): value for name, value in fields.items()}
        accept = base64.b64encode(hashlib.sha1((fields['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').encode()).digest()).decode()
        writer.write(f'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n'.encode())
        def frame(payload, kind=2):
            size = len(payload)
            length = bytes([size]) if size < 126 else b'\x7e' + size.to_bytes(2, 'big') if size < 65536 else b'\x7f' + size.to_bytes(8, 'big')
            writer.write(bytes([0x80 | kind]) + length + payload)
        for channel in (0, 1):
            frame(bytes([channel]) + (9080).to_bytes(2, 'little'))
        inner, outer = await asyncio.open_connection('127.0.0.1', CORE)
        async def back():
            try:
                while data := await inner.read(16384):
                    frame(b'\0' + data)
                    await writer.drain()
                if not writer.is_closing():
                    frame(b'', 8)
            except (OSError, AttributeError):
                # It was cut meanwhile.
                pass
        task = asyncio.create_task(back())
        while True:
            first, second = await reader.readexactly(2)
            size = second & 0x7f
            if size == 126:
                size = int.from_bytes(await reader.readexactly(2), 'big')
            elif size == 127:
                size = int.from_bytes(await reader.readexactly(8), 'big')
            mask = await reader.readexactly(4) if second & 0x80 else b'\0\0\0\0'
            data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(await reader.readexactly(size)))
            if first & 15 == 8:
                break
            if first & 15 in (1, 2) and data[:1] == b'\0':
                outer.write(data[1:])
        task.cancel()
        outer.close()
    except (OSError, asyncio.IncompleteReadError, KeyError, ValueError):
        pass
    finally:
        FORWARDS.discard(writer)
        writer.close()

class Filter(ctypes.Structure):
    """A socket filter of one instruction that accepts no byte, in the layout of the kernel."""
    _fields_ = [('length', ctypes.c_ushort), ('program', ctypes.c_void_p)]

NOTHING = ctypes.create_string_buffer(struct.pack('HBBI', 0x06, 0, 0, 0), 8)
ATTACH, DETACH = 26, 27
CLIENTS, LISTENS = {}, []
def drop(which):
    """The kernel drops the packets of the connections through the proxy, as a NAT does that forgot them: `open`, or `all` with new ones."""
    program = bytes(Filter(1, ctypes.addressof(NOTHING)))
    for one in [*(CLIENTS if which else []), *(LISTENS if which == 'all' else [])]:
        one.setsockopt(socket.SOL_SOCKET, ATTACH, program)
    # Nothing goes the other way either.
    for silent in CLIENTS.values() if which else []:
        silent[0] = True
    for one in [] if which else LISTENS:
        one.setsockopt(socket.SOL_SOCKET, DETACH, 0)

HOLD = {'mode': None, 'held': 0, 'with': None}
REQUESTS = [0]
async def through(reader, writer):
    """A connection to the API server without TLS. A binding may be kept back: `before` the API server has it, or its answer `after` it was done.
    With `expire` the token of a write is one that the API server no longer knows; with `rival` another user patches a ConfigMap just before."""
    inner, outer = await asyncio.open_connection('127.0.0.1', PORT, ssl=TRUST, server_hostname='127.0.0.1')
    silent, answered = [False], asyncio.Event()
    client = writer.get_extra_info('socket')
    CLIENTS[client] = silent
    async def back():
        while data := await inner.read(65536):
            if silent[0]:
                answered.set()
            else:
                writer.write(data)
                await writer.drain()
        writer.close()
    task = asyncio.create_task(back())
    try:
        while True:
            head = await reader.readuntil(b'\r\n\r\n')
            sizes = [line.split(b':')[1] for line in head.lower().split(b'\r\n') if line.startswith(b'content-length:')]
            whole = head + (await reader.readexactly(int(sizes[0])) if sizes else b'')
            REQUESTS[0] += 1
            method, path = head.split(b' ')[:2]
            kept = HOLD['mode'] if method == b'POST' and path.endswith(b'/binding') else None
            if HOLD['mode'] == 'expire' and method in (b'PATCH', b'DELETE'):
                whole = re.sub(rb'(?i)(authorization: bearer) \S+', rb'\1 expired', whole)
            if HOLD['mode'] == ('rival-dry' if b'dryRun' in path else 'rival') and method == b'PATCH' and b'/configmaps/' in path:
                HOLD['mode'] = None
                await asyncio.to_thread(api, 'PATCH', path.decode().split('?')[0], HOLD['with'], 'application/merge-patch+json')
            silent[0] = kept == 'after'
            if kept != 'before':
                outer.write(whole)
                await outer.drain()
            if kept:
                if kept == 'after':
                    await answered.wait()
                HOLD['held'] += 1
                # Until who asked is gone.
                await reader.read()
                return
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        del CLIENTS[client]
        task.cancel()
        outer.close()
        writer.close()

def kubelet():
    async def main():
        LOOP.append(asyncio.get_running_loop())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f'{PKI}/server.crt', f'{PKI}/server.key')
        LISTENS.extend((await asyncio.start_server(through, '127.0.0.1', THROUGH)).sockets)
        await (await asyncio.start_server(websocket, '127.0.0.1', KUBELET, ssl=context)).serve_forever()
    asyncio.run(main())

def fakelet(nodes):
    """Kubelets of these nodes: what is bound there runs, and what is to be deleted there is gone a moment later."""
    merge = 'application/merge-patch+json'
    while True:
        try:
            for pod in api('GET', '/api/v1/pods')['items']:
                meta, path = pod['metadata'], f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
                if pod['spec'].get('nodeName') not in nodes:
                    continue
                if 'deletionTimestamp' in meta:
                    api('DELETE', path, {'kind': 'DeleteOptions', 'apiVersion': 'v1', 'gracePeriodSeconds': 0, 'preconditions': {'uid': meta['uid']}})
                elif pod['status'].get('phase') == 'Pending':
                    api('PATCH', path + '/status', {'metadata': {'uid': meta['uid']}, 'status': {'phase': 'Running'}}, merge)
                elif 'fake/ends' in meta.get('annotations', {}) and pod['status'].get('phase') == 'Running':
                    api('PATCH', path + '/status', {'metadata': {'uid': meta['uid']}, 'status': {'phase': 'Succeeded'}}, merge)
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.2)

def stop():
    """The API server is killed, with every connection through it."""
    processes[1].kill()
    processes[1].wait()

def begin():
    log = open(f'{FOLDER}/kube-apiserver.log', 'ab')
    processes[1] = subprocess.Popen(processes[1].args, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

def listening():
    while socket.socket().connect_ex(('127.0.0.1', PORT)):
        time.sleep(0.1)

def start():
    """The API server comes back."""
    begin()
    until = time.time() + 60
    while time.time() < until:
        try:
            return api('GET', '/api/v1/namespaces/default')
        except (OSError, ValueError):
            time.sleep(0.2)

def store(path, body):
    request = urllib.request.Request(f'http://127.0.0.1:{ETCD}/v3/kv/{path}', data=json.dumps(body).encode())
    return json.loads(urllib.request.urlopen(request, timeout=30).read())

def compact(name):
    """Deletes an object in the store itself, and forgets how it became so."""
    gone = store('deleterange', {'key': base64.b64encode(name.encode()).decode()})
    assert gone['deleted'] == '1', gone
    store('compaction', {'revision': gone['header']['revision'], 'physical': True})

def freeze(seconds):
    """The API server takes connections and answers nothing for so long."""
    hung = processes[1]
    hung.send_signal(signal.SIGSTOP)
    threading.Timer(seconds, lambda: hung.send_signal(signal.SIGCONT)).start()

def outside():
    """An address of this machine that is not loopback: the API server proxies to no other."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(('192.0.2.1', 9))
            address = s.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith(('127.', '0.')) else address

def pod(namespace, name, labels, ready=False, address=None, container='main', owner=None):
    metadata = {'name': name, 'labels': labels, **({'ownerReferences': [owner]} if owner else {})}
    made = api('POST', f'/api/v1/namespaces/{namespace}/pods', {'metadata': metadata, 'spec': {'nodeName': 'n1', 'schedulerName': 'yunikorn',
               'terminationGracePeriodSeconds': 600, 'containers': [{'name': container, 'image': 'x', 'env': [{'name': 'PASSWORD', 'value': SECRET}]}]}})
    if ready:
        status = {'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'True'}], 'podIP': address or '', 'podIPs': [{'ip': address}] if address else []}}
        api('PATCH', f'/api/v1/namespaces/{namespace}/pods/{name}/status', status, 'application/merge-patch+json')
    return made['metadata']['uid']

def owner(object):
    metadata = object['metadata']
    return {'apiVersion': object['apiVersion'], 'kind': object['kind'], 'name': metadata['name'], 'uid': metadata['uid'], 'controller': True}

def owned():
    """A CronJob with a Job that has a pod, and a CronJob that has one itself. This API server has no controllers, so the pods are made here; it keeps
    spec.suspend of a CronJob, not yet of a Job."""
    template = {'spec': {'restartPolicy': 'Never', 'containers': [{'name': 'main', 'image': 'x'}]}}
    def cron(name):
        made = api('POST', '/apis/batch/v1beta1/namespaces/team-a/cronjobs', {'metadata': {'name': name}, 'spec': {'schedule': '0 0 * * *', 'jobTemplate': {'spec': {'template': template}}}})
        return {**made, 'apiVersion': 'batch/v1beta1', 'kind': 'CronJob'}
    job = api('POST', '/apis/batch/v1/namespaces/team-a/jobs', {'metadata': {'name': 'nightly-1', 'ownerReferences': [owner(cron('nightly'))]}, 'spec': {'template': template}})
    job = {**job, 'apiVersion': 'batch/v1', 'kind': 'Job'}
    for name, of, app in (('hourly-x', cron('hourly'), 'hourly-1'), ('nightly-1-x', job, 'nightly-1')):
        UIDS[name] = pod('team-a', name, {'applicationId': app}, owner=owner(of))
        OWNED[app] = (name,)

def owned_by(path, object, app, name):
    """An object with a pod of an application."""
    made = {**api('POST', path, object), 'apiVersion': object['apiVersion'], 'kind': object['kind']}
    UIDS[name] = pod('team-a', name, {'applicationId': app}, owner=owner(made))
    OWNED[app] = (name,)

def rule(groups, resources, verbs, names=None):
    return {'apiGroups': groups, 'resources': resources, 'verbs': verbs, **({'resourceNames': names} if names else {})}

def allow(name, group, rules, namespace=None):
    base = '/apis/rbac.authorization.k8s.io/v1' + (f'/namespaces/{namespace}' if namespace else '')
    kind = 'Role' if namespace else 'ClusterRole'
    api('POST', f'{base}/{kind.lower()}s', {'metadata': {'name': name}, 'rules': rules})
    api('POST', f'{base}/{kind.lower()}bindings', {'metadata': {'name': name}, 'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': kind, 'name': name},
        'subjects': [{'kind': 'Group', 'apiGroup': 'rbac.authorization.k8s.io', 'name': group}]})

def fill():
    for namespace in ('yunikorn', 'team-a'):
        api('POST', '/api/v1/namespaces', {'metadata': {'name': namespace}})
    for name in ('n1', 'node-a', 'node-b', 'node-c'):
        api('POST', '/api/v1/nodes', {'metadata': {'name': name}})
    status = {'status': {'addresses': [{'type': 'InternalIP', 'address': '127.0.0.1'}], 'daemonEndpoints': {'kubeletEndpoint': {'Port': KUBELET}}}}
    api('PATCH', '/api/v1/nodes/n1/status', status, 'application/strategic-merge-patch+json')
    address = outside()
    pod('yunikorn', 'yunikorn-scheduler-1', {'app': 'yunikorn', 'component': 'yunikorn-scheduler'}, ready=True, address=address, container='yunikorn-scheduler-k8s')
    pod('yunikorn', 'yunikorn-admission-controller-1', {'app': 'yunikorn', 'component': 'yunikorn-admission-controller'}, ready=True)
    ports = [{'name': 'yunikorn-core', 'port': 9080}]
    api('POST', '/api/v1/namespaces/yunikorn/services', {'metadata': {'name': 'yunikorn-service'}, 'spec': {'selector': {'app': 'yunikorn'}, 'ports': ports}})
    if address:
        target = {'kind': 'Pod', 'namespace': 'yunikorn', 'name': 'yunikorn-scheduler-1'}
        subsets = [{'addresses': [{'ip': address, 'targetRef': target}], 'ports': [{'name': 'yunikorn-core', 'port': CORE}]}]
        api('POST', '/api/v1/namespaces/yunikorn/endpoints', {'metadata': {'name': 'yunikorn-service'}, 'subsets': subsets})
    data = {'queues.yaml': FIRST, 'log.level': 'INFO'}
    api('POST', '/api/v1/namespaces/yunikorn/configmaps', {'metadata': {'name': 'yunikorn-configs', 'labels': {'team': 'platform'}}, 'data': data})
    UIDS['job-1-driver'] = pod('team-a', 'job-1-driver', {'applicationId': 'job-1'})
    pod('team-a', 'job-1-worker', {'applicationId': 'job-1'})
    UIDS['job-1-worker'] = '00000000-0000-4000-8000-000000000000'
    about = {'kind': 'Pod', 'namespace': 'team-a', 'name': 'job-1-driver', 'uid': UIDS['job-1-driver'], 'apiVersion': 'v1'}
    seen = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
    api('POST', '/api/v1/namespaces/team-a/events', {'metadata': {'name': 'job-1-driver.1'}, 'involvedObject': about, 'reason': 'BackOff', 'type': 'Warning', 'count': 4,
        'message': 'Back-off pulling image "x"', 'source': {'component': 'kubelet'}, 'firstTimestamp': seen, 'lastTimestamp': seen})
    owned()
    api('POST', '/api/v1/namespaces/team-a/secrets', {'metadata': {'name': 'db'}, 'data': {'password': base64.b64encode(SECRET.encode()).decode()}})
    admin = [rule([''], ['services'], ['get']), rule([''], ['pods'], ['get', 'list']), rule([''], ['pods/portforward'], ['get', 'create']), rule([''], ['configmaps'], ['get', 'patch', 'create']),
             rule([''], ['pods/log'], ['get']), rule([''], ['events'], ['create'])]
    allow('admin', 'kornsole-admin', admin, 'yunikorn')
    allow('killer', 'kornsole-admin', [rule([''], ['pods'], ['delete']), rule([''], ['nodes'], ['get', 'list', 'patch']), rule([''], ['pods'], ['get', 'list', 'watch']), rule([''], ['pods/log'], ['get']), rule([''], ['events'], ['list']), rule(['events.k8s.io'], ['events'], ['list']),
           rule(['batch'], ['jobs', 'cronjobs'], ['get', 'patch'])])
    allow('viewers', 'viewers', [rule([''], ['services'], ['get']), rule([''], ['pods'], ['get', 'list']), rule([''], ['pods/portforward'], ['get', 'create']), rule([''], ['configmaps'], ['get'])], 'yunikorn')
    allow('proxied', 'proxied', [rule([''], ['services'], ['get'], ['yunikorn-service']), rule([''], ['services/proxy'], ['get'], ['yunikorn-service:yunikorn-core'])], 'yunikorn')
    # Who has no SelfSubjectReview is found out by a review of one's own token; for all but `nobody`.
    for group in ('kornsole-admin', 'viewers', 'proxied'):
        allow(f'review-{group}', group, [rule(['authentication.k8s.io'], ['tokenreviews'], ['create'])])
    return bool(address)

def kubeconfig():
    users = [{'name': name, 'user': {'token': TOKENS[name]}} for name in USERS]
    contexts = [{'name': name, 'context': {'cluster': 'stage', 'user': name}} for name in USERS]
    ca = base64.b64encode(open(f'{PKI}/ca.crt', 'rb').read()).decode()
    file = f'{FOLDER}/kubeconfig'
    with os.fdopen(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), 'w') as f:
        json.dump({'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'admin', 'users': users, 'contexts': contexts,
                   'clusters': [{'name': 'stage', 'cluster': {'server': f'https://127.0.0.1:{PORT}', 'certificate-authority-data': ca}}]}, f)
    return file

try:
    until = time.time() + 120
    while True:
        try:
            api('GET', '/api/v1/namespaces/default')
            break
        except (OSError, ValueError):
            if time.time() > until or any(process.poll() is not None for process in processes):
                sys.exit(f'the API server does not start: see {FOLDER}/kube-apiserver.log')
            time.sleep(0.2)
    proxy = fill()
    core = ThreadingHTTPServer(('0.0.0.0' if proxy else '127.0.0.1', CORE), Core)
    for target in (core.serve_forever, follow, kubelet):
        threading.Thread(target=target, daemon=True).start()
    while True:
        try:
            socket.create_connection(('127.0.0.1', KUBELET)).close()
            break
        except OSError:
            time.sleep(0.05)
    hidden = [SECRET, base64.b64encode(SECRET.encode()).decode(), *TOKENS.values()]
    print(json.dumps({'kubeconfig': kubeconfig(), 'proxy': proxy, 'hidden': hidden, 'through': THROUGH, 'core': CORE}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if 'patch' in command:
            api('PATCH', command['patch'], command['body'], 'application/merge-patch+json')
        elif 'answers' in command:
            OTHER.clear()
            OTHER.update(command['answers'])
        elif 'until' in command:
            while hashlib.sha256(inside['text'].encode()).hexdigest().upper() != command['until']:
                time.sleep(0.05)
        elif 'fakelet' in command:
            threading.Thread(target=fakelet, args=(command['fakelet'],), daemon=True).start()
        elif 'hold' in command:
            HOLD.update(mode=command['hold'], held=0, **{'with': command.get('with')})
        elif 'held' in command:
            until = time.time() + 60
            while HOLD['held'] < command['held'] and time.time() < until:
                time.sleep(0.05)
        elif 'requests' in command:
            with open(command['requests'], 'w') as f:
                f.write(str(REQUESTS[0]))
        elif 'drop' in command:
            drop(command['drop'])
        elif 'freeze' in command:
            freeze(command['freeze'])
        elif 'restart' in command:
            stop()
            time.sleep(1)
            start()
        elif 'certificate' in command:
            stop()
            certificate(command['certificate'])
            start() if command['certificate'] == 'ca' else (begin(), listening())
        elif 'compact' in command:
            compact(command['compact'])
        elif 'stop' in command:
            stop()
        elif 'start' in command:
            start()
        elif 'make' in command:
            for path, body, *may_fail in command['make']:
                try:
                    api('POST', path, body)
                except urllib.error.HTTPError:
                    if not may_fail:
                        raise
        elif 'owned' in command:
            of = command['owned']
            owned_by(of['path'], of['object'], of['app'], of['pod'])
        elif 'cut' in command:
            for writer in list(FORWARDS):
                LOOP[0].call_soon_threadsafe(writer.transport.abort)
        print('done', flush=True)
finally:
    end()
