import AsyncHTTPClient
import JWTKit
import Metrics
import Tracing
