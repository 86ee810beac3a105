"""Scripts that flood the browser, by what they do thousands of times a second. See test_floods.py."""


def _repeat(code: str, count: int = 2000, milliseconds: int = 1) -> str:
    """Return a script that runs `code` so many times (`i`), again and again."""
    return f"setInterval(() => {{ for (let i = 0; i < {count}; i++) {{ {code} }} }}, {milliseconds})"


KINDS = {
    "requests": "for (let i = 0; i < 5000; i++) fetch('/nothing?' + i, {priority: 'low'}).catch(() => 0)",
    "windows": _repeat("open('/two?' + i)", 50, 20),
    "title": _repeat("document.title='t'+Math.random()"),
    "pushState": _repeat("try{history.pushState(0,'','?'+Math.random())}catch{}"),
    "replaceState": _repeat("try{history.replaceState(0,'','?'+Math.random())}catch{}"),
    "window.name": _repeat("window.name='x'.repeat(1000)+Math.random()"),
    "cookie": _repeat("document.cookie='a'+(i%50)+'='+Math.random()"),
    "localStorage": _repeat("localStorage['k'+i]=Math.random()"),
    "postMessage self": _repeat("postMessage(i)"),
    "BroadcastChannel": "b=new BroadcastChannel('x');" + _repeat("b.postMessage('x'.repeat(1000))"),
    "fetch aborted": _repeat("c=new AbortController();fetch('/nothing?'+i,{signal:c.signal}).catch(()=>0);c.abort()", 200),
    "beacon": _repeat("navigator.sendBeacon('/b','x')", 50, 10),
    "img data": _repeat("new Image().src='data:image/gif;base64,R0lGODlhAQABAAAAACw='", 500),
    "web sockets": _repeat("new WebSocket('ws://127.0.0.1:9/')", 20, 10),
    "workers": _repeat("new Worker('data:text/javascript,close()')", 5, 10),
    "frames": _repeat("f=document.createElement('iframe');document.body.append(f);f.remove()", 20, 5),
    "blob urls": _repeat("URL.createObjectURL(new Blob(['x']))", 500),
    "indexedDB": _repeat("indexedDB.open('d'+i)", 20, 10),
    "locks": _repeat("navigator.locks.request('l'+i,async()=>0)", 200, 5),
    "permissions": _repeat("navigator.permissions.query({name:'geolocation'})", 500, 5),
    "geolocation": _repeat("navigator.geolocation.getCurrentPosition(()=>0,()=>0)", 200, 5),
    "clipboard": _repeat("navigator.clipboard.readText().catch(()=>0)", 200, 5),
    "service worker": _repeat("navigator.serviceWorker.register('/sw.js?'+Math.random()).catch(()=>0)", 5, 20),
    "downloads": _repeat("a=document.createElement('a');a.href='data:x,1';a.download='a';a.click()", 20, 10),
    "form submit to frame": "f=document.createElement('iframe');f.name='f';document.body.append(f);g=document.createElement('form');g.target='f';g.action='/two';document.body.append(g);" + _repeat("g.submit()", 20, 10),
    "print": _repeat("print()", 5, 20),
    "scheme": _repeat("f=document.createElement('iframe');f.src='zoommtg:x';document.body.append(f);f.remove()", 5, 10),
    "errors": _repeat("reportError(new Error('x'+i))", 500),
    "csp violations": "m=document.createElement('meta');m.httpEquiv='Content-Security-Policy';m.content=\"img-src 'none'\";document.head.append(m);" + _repeat("new Image().src='/x'+i", 200),
    "scripts parsed": _repeat("new Function('return '+Math.random())()", 500),
    "nodes": _repeat("document.body.append(document.createElement('p'))", 200),
    "scroll": "document.body.style.height='9e6px';" + _repeat("scrollTo(0,Math.random()*9e6)", 200),
    "focus": "for(let i=0;i<9;i++)document.body.append(document.createElement('input'));" + _repeat("document.querySelectorAll('input')[i%9].focus()", 200),
    "pointer lock": _repeat("document.body.requestPointerLock().catch?.(()=>0)", 200),
    "peer connections": _repeat("p=new RTCPeerConnection();p.createDataChannel('a');p.createOffer().then(o=>p.setLocalDescription(o)).then(()=>p.close())", 2, 20),
    "import": _repeat("import('data:text/javascript,'+Math.random())", 50, 10),
    "opfs": _repeat("navigator.storage.getDirectory().then(d=>d.getFileHandle('f'+i,{create:true}))", 10, 10),
    "dialogs": _repeat("alert(i)", 1),
    "beforeunload reload": "onbeforeunload=()=>1;setInterval(()=>location.reload(),1)",
    "meta refresh": "setTimeout(()=>location.href='?'+Math.random(),1)",
}  # fmt: skip
