"""Make one-time codes for tools without them, as an agent does: a short script, typed and run."""

ONE_TIME_CODE = (
    "import base64,hmac,struct,sys,time;"
    "k=base64.b32decode(sys.argv[1]);h=hmac.digest(k,struct.pack('>Q',int(time.time())//30),'sha1');o=h[-1]&15;"
    "print('%06d'%((struct.unpack('>I',h[o:o+4])[0]&0x7fffffff)%10**6))"
)
"""RFC 6238 with SHA-1, six digits, thirty seconds."""
