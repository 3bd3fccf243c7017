import AsyncHTTPClient
import JWTKit
import Tracing
import Metrics
