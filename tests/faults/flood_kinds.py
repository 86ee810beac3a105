"""Scripts that flood the browser, by what they do thousands of times a second. See test_floods.py."""


def _repeat(code: str, count: int = 2000, milliseconds: int = 1) -> str:
    """Return a script that runs `code` so many times (`i`), again and again."""
    return f"setInterval(() => {{ for (let i = 0; i < {count}; i++) {{ {code} }} }}, {milliseconds})"


KINDS = {
    "title": _repeat("document.title='t'+Math.random()"),
    "favicon": "l=document.createElement('link');l.rel='icon';document.head.append(l);"
    + _repeat("l.href='/i'+Math.random()", 200),
    "pushState": _repeat("try{history.pushState(0,'','?'+Math.random())}catch{}"),
    "replaceState": _repeat("try{history.replaceState(0,'','?'+Math.random())}catch{}"),
    "hash": _repeat("location.hash=Math.random()", 200),
    "window.name": _repeat("window.name='x'.repeat(1000)+Math.random()"),
    "cookie": _repeat("document.cookie='a'+(i%50)+'='+Math.random()"),
    "localStorage": _repeat("localStorage['k'+i]=Math.random()"),
    "sessionStorage": _repeat("sessionStorage['k'+i]='x'.repeat(100)+Math.random()"),
    "performance.mark": _repeat("performance.mark('m'+i)"),
    "postMessage self": _repeat("postMessage(i)"),
    "postMessage frame": "f=document.createElement('iframe');f.src='/two';document.body.append(f);"
    + _repeat("f.contentWindow.postMessage('x'.repeat(1000),'*')"),
    "postMessage frame elsewhere": "f=document.createElement('iframe');f.src=location.origin.replace('127.0.0.1','localhost')+'/two';document.body.append(f);"
    + _repeat("f.contentWindow.postMessage('x'.repeat(1000),'*')"),
    "BroadcastChannel": "b=new BroadcastChannel('x');" + _repeat("b.postMessage('x'.repeat(1000))"),
    "fetch aborted": _repeat(
        "c=new AbortController();fetch('/nothing?'+i,{signal:c.signal}).catch(()=>0);c.abort()", 200
    ),
    "beacon": _repeat("navigator.sendBeacon('/b','x')", 50, 10),
    "img data": _repeat("new Image().src='data:image/gif;base64,R0lGODlhAQABAAAAACw='", 500),
    "web sockets": _repeat("new WebSocket('ws://127.0.0.1:9/')", 20, 10),
    "event sources": _repeat("new EventSource('/two').onerror=function(){this.close()}", 20, 10),
    "workers": _repeat("new Worker('data:text/javascript,close()')", 5, 10),
    "shared workers": _repeat("new SharedWorker('data:text/javascript,close()//'+Math.random())", 5, 20),
    "frames": _repeat("f=document.createElement('iframe');document.body.append(f);f.remove()", 20, 5),
    "frame navigations": "f=document.createElement('iframe');document.body.append(f);"
    + _repeat("f.srcdoc=Math.random()", 5),
    "blob urls": _repeat("URL.createObjectURL(new Blob(['x']))", 500),
    "indexedDB": _repeat("indexedDB.open('d'+i)", 20, 10),
    "caches": _repeat("caches.open('c'+i)", 20, 10),
    "locks": _repeat("navigator.locks.request('l'+i,async()=>0)", 200, 5),
    "permissions": _repeat("navigator.permissions.query({name:'geolocation'})", 500, 5),
    "geolocation": _repeat("navigator.geolocation.getCurrentPosition(()=>0,()=>0)", 200, 5),
    "notification": _repeat("Notification.requestPermission()", 200, 5),
    "clipboard": _repeat("navigator.clipboard.readText().catch(()=>0)", 200, 5),
    "service worker": _repeat("navigator.serviceWorker.register('/sw.js?'+Math.random()).catch(()=>0)", 5, 20),
    "downloads": _repeat("a=document.createElement('a');a.href='data:x,1';a.download='a';a.click()", 20, 10),
    "form submit to frame": "f=document.createElement('iframe');f.name='f';document.body.append(f);g=document.createElement('form');g.target='f';g.action='/two';document.body.append(g);"
    + _repeat("g.submit()", 20, 10),
    "location": _repeat("location.href='#'+Math.random()", 200),
    "print": _repeat("print()", 5, 20),
    "scheme": _repeat(
        "f=document.createElement('iframe');f.src='zoommtg:x';document.body.append(f);f.remove()", 5, 10
    ),
    "errors": _repeat("reportError(new Error('x'+i))", 500),
    "rejections": _repeat("Promise.reject(i)", 500),
    "csp violations": "m=document.createElement('meta');m.httpEquiv='Content-Security-Policy';m.content=\"img-src 'none'\";document.head.append(m);"
    + _repeat("new Image().src='/x'+i", 200),
    "scripts parsed": _repeat("new Function('return '+Math.random())()", 500),
    "script elements": _repeat(
        "s=document.createElement('script');s.text='1';document.head.append(s);s.remove()", 200
    ),
    "style sheets": _repeat(
        "s=document.createElement('style');s.textContent='a{b:c}';document.head.append(s);s.remove()", 200
    ),
    "nodes": _repeat("document.body.append(document.createElement('p'))", 200),
    "scroll": "document.body.style.height='9e6px';" + _repeat("scrollTo(0,Math.random()*9e6)", 200),
    "focus": "for(let i=0;i<9;i++)document.body.append(document.createElement('input'));"
    + _repeat("document.querySelectorAll('input')[i%9].focus()", 200),
    "selection": _repeat("getSelection().selectAllChildren(document.body)", 200),
    "fullscreen": _repeat("document.documentElement.requestFullscreen().catch(()=>0)", 200),
    "pointer lock": _repeat("document.body.requestPointerLock().catch?.(()=>0)", 200),
    "wake lock": _repeat("navigator.wakeLock.request('screen').catch(()=>0)", 100, 5),
    "media devices": _repeat("navigator.mediaDevices?.enumerateDevices()", 100, 5),
    "peer connections": _repeat(
        "p=new RTCPeerConnection();p.createDataChannel('a');p.createOffer().then(o=>p.setLocalDescription(o)).then(()=>p.close())",
        2,
        20,
    ),
    "audio": _repeat("new AudioContext().close()", 2, 20),
    "import": _repeat("import('data:text/javascript,'+Math.random())", 50, 10),
    "credentials": _repeat("navigator.credentials.get({password:true}).catch(()=>0)", 50, 10),
    "storage estimate": _repeat("navigator.storage.estimate()", 100, 5),
    "opfs": _repeat("navigator.storage.getDirectory().then(d=>d.getFileHandle('f'+i,{create:true}))", 10, 10),
    "dialogs": _repeat("alert(i)", 1),
    "beforeunload reload": "onbeforeunload=()=>1;setInterval(()=>location.reload(),1)",
    "meta refresh": "setTimeout(()=>location.href='?'+Math.random(),1)",
    "theme color": "m=document.createElement('meta');m.name='theme-color';document.head.append(m);"
    + _repeat("m.content='#'+(i%900+100)", 200),
    "resize": _repeat("resizeTo(300+i%300,400);moveTo(i%9,i%9)", 200),
    "vibrate": _repeat("navigator.vibrate?.(1)", 500),
    "badge": _repeat("navigator.setAppBadge?.(i)", 500),
    "media session": _repeat("navigator.mediaSession.metadata=new MediaMetadata({title:'x'+i})", 200),
    "element titles": _repeat("document.body.title='x'+i;document.body.style.cursor=i%2?'wait':'help'", 500),
}
